/// The virtual connections to a device's platform on one channel: Castway's own, and those of the senders.
struct PlatformConnection {
    /// A device that restarts its platform closes a connection until that is acknowledged and it is opened anew (protocol
    /// notes, 9, 2); one that goes on closing is left to do so.
    private static let maximumReopenings = 3

    private var reopenings = 0
    private var sendersReopenings: [SenderIDs.North: Int] = [:]

    /// Whether Castway's own connection, which the device closed, is to be acknowledged and opened again.
    mutating func mayReopen() -> Bool {
        guard self.reopenings < Self.maximumReopenings else { return false }
        self.reopenings += 1
        return true
    }

    /// The same for the connection of a sender's end.
    mutating func mayReopen(_ north: SenderIDs.North) -> Bool {
        guard self.sendersReopenings[north, default: 0] < Self.maximumReopenings else { return false }
        self.sendersReopenings[north, default: 0] += 1
        return true
    }

    /// These ends of senders are gone.
    mutating func forget(where isGone: (SenderIDs.North) -> Bool) {
        guard !self.sendersReopenings.isEmpty else { return }
        self.sendersReopenings = self.sendersReopenings.filter { !isGone($0.key) }
    }
}
