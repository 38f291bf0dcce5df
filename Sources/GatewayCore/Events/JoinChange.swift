/// What happened to a join code, or to a guest who has redeemed one. Nothing of it is a secret: codes and guests are named by their ids.
public enum JoinChange: Hashable, Sendable {
    /// A caller has made a code; `name` is what its guests are called, `devices` are names with `*` for any number of characters.
    case codeCreated(code: String, name: String, devices: [String], by: String)
    /// A code is not taken any more, by a caller's word.
    case codeRevoked(code: String, name: String, by: String)
    /// The digits of a code are not taken any more, since so many wrong ones were tried; its link still is.
    case codeExhausted(code: String, name: String, attempts: Int)
    /// A guest has redeemed a code; the address is nil for one who got a token alone.
    case codeRedeemed(code: String, guest: String, name: String, devices: [String], address: String?)
    /// A guest may do nothing any more.
    case guestLeft(guest: String, name: String, devices: [String], address: String?, reason: String)

    /// The event's name on every interface.
    public var name: String {
        switch self {
        case .codeCreated: "join_code.created"
        case .codeRevoked: "join_code.revoked"
        case .codeExhausted: "join_code.exhausted"
        case .codeRedeemed: "join_code.redeemed"
        case .guestLeft: "guest.left"
        }
    }
}
