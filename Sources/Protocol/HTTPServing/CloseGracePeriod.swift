import NIOCore

/// The time that a connection on which nothing more is said stays open for the peer to read what was.
///
/// Closing at once, with bytes unread, would reset the connection and what was said with it. So a peer that has been sent everything has
/// ``lingering`` to close the connection itself; one that is slow gets what it still has to read, as long as it goes on reading.
struct CloseGracePeriod {
    /// The time the peer may take to close when all was sent.
    static let lingering = TimeAmount.seconds(2)
    /// The time the peer may take until the system sends more of what is held for it. The system waits until a third of its own buffer is
    /// free, which is megabytes where a connection was fast.
    static let reading = TimeAmount.seconds(10)

    /// The time when ``isOver(at:unsent:)`` judges next.
    private(set) var deadline: NIODeadline
    /// The number of bytes the gateway held when it was last judged; nil before.
    private var unsent: Int?

    init(at now: NIODeadline) {
        self.deadline = now + Self.lingering
    }

    /// Judges at the deadline whether the connection is to be closed as it is; otherwise there is a new one.
    /// - Parameter unsent: how many bytes the gateway still holds for the peer.
    mutating func isOver(at now: NIODeadline, unsent: Int) -> Bool {
        guard now >= self.deadline else { return false }
        let before = self.unsent
        self.unsent = unsent
        let hasRead = if let before { unsent < before } else { unsent > 0 }
        guard hasRead else { return true }
        self.deadline = now + (unsent > 0 ? Self.reading : Self.lingering)
        return false
    }
}

extension Channel {
    /// The number of bytes that wait in the gateway for the peer to read. For the channel's event loop only.
    var unsentBytes: Int { (try? self.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
