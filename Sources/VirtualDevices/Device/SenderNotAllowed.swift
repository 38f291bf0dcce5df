/// The sender's address is not in `senders.allow`.
struct SenderNotAllowed: Error, CustomStringConvertible {
    let description = "the address is not in senders.allow"
}
