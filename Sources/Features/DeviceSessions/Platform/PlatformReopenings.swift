/// A count of the virtual connections to the platform that the device closed and that were opened again, on one channel.
///
/// A device that restarts its platform closes a connection until that is acknowledged and it is opened anew (protocol notes,
/// 9, 2); one that goes on closing is left to do so.
struct PlatformReopenings {
    private static let maximumCount = 3

    private var counts: [SenderEnd?: Int] = [:]

    /// Returns true if a connection that the device closed is to be acknowledged and opened again.
    /// - Parameter end: the sender's end; nil for Castway's own connection.
    mutating func mayReopen(_ end: SenderEnd?) -> Bool {
        guard self.counts[end, default: 0] < Self.maximumCount else { return false }
        self.counts[end, default: 0] += 1
        return true
    }

    /// Forgets the ends of senders that are gone.
    mutating func forget(where isGone: (SenderEnd) -> Bool) {
        guard !self.counts.isEmpty else { return }
        self.counts = self.counts.filter { count in count.key.map { !isGone($0) } ?? true }
    }
}
