/// Counts of what passed a relay, and what did not.
package struct MediaCounts: Hashable, Sendable {
    package enum Direction: String, Hashable, Sendable, CaseIterable {
        case toDevice = "to_device"
        case toSender = "to_sender"
    }

    /// The reason a datagram did not pass.
    package enum Drop: String, Hashable, Sendable, CaseIterable {
        /// It came to the sender's side from another address than the sender's.
        case foreignAddress = "foreign_address"
        /// It came from the sender's address, but not from the port of the sender's first datagram.
        case foreignPort = "foreign_port"
        case empty
        /// It was longer than a datagram of a stream may be.
        case tooLarge = "too_large"
        /// The device sent it before the sender had sent any, so it is not known where to.
        case early
        /// The host that it was for has nothing at the port, or cannot be reached.
        case unreachable
        /// The socket that it was for took no more.
        case full
        /// The system did not send it for another reason.
        case failed
        /// It would have begun one more stream than there may be.
        case tooMany = "too_many"
        /// The kernel threw it away, since too many waited to be read.
        case overflow
    }

    /// The number of datagrams that passed, by direction.
    package private(set) var packets: [Direction: UInt64] = [:]
    /// Their content in bytes, by direction.
    package private(set) var bytes: [Direction: UInt64] = [:]
    /// The number of datagrams that did not pass, by reason; a reason that no datagram had is missing.
    package private(set) var drops: [Drop: UInt64] = [:]

    package init() {}

    /// The number of datagrams that passed, both ways.
    package var packetCount: UInt64 { self.packets.values.reduce(0, +) }
    /// The content of all that passed, in bytes.
    package var byteCount: UInt64 { self.bytes.values.reduce(0, +) }
    /// The number of datagrams that did not pass.
    package var dropCount: UInt64 { self.drops.values.reduce(0, +) }

    mutating func passed(_ direction: Direction, packets: Int, bytes: Int) {
        guard packets > 0 else { return }
        self.packets[direction, default: 0] &+= UInt64(packets)
        self.bytes[direction, default: 0] &+= UInt64(bytes)
    }

    mutating func lost(_ direction: Direction, packets: Int, bytes: Int) {
        guard packets > 0 else { return }
        self.packets[direction, default: 0] &-= UInt64(packets)
        self.bytes[direction, default: 0] &-= UInt64(bytes)
    }

    mutating func dropped(_ reason: Drop, _ count: Int = 1) {
        if count > 0 { self.drops[reason, default: 0] &+= UInt64(count) }
    }

    mutating func overflowed(_ count: UInt64) {
        self.drops[.overflow] = count > 0 ? count : nil
    }

    package static func + (left: MediaCounts, right: MediaCounts) -> MediaCounts {
        var sum = left
        sum.packets.merge(right.packets, uniquingKeysWith: &+)
        sum.bytes.merge(right.bytes, uniquingKeysWith: &+)
        sum.drops.merge(right.drops, uniquingKeysWith: &+)
        return sum
    }
}
