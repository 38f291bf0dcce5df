/// Castway's own virtual connection to a device's platform.
struct PlatformConnection {
    /// A device that restarts its platform closes the connection until it is opened anew (protocol notes, 9, 2);
    /// one that goes on closing gets a new channel instead.
    private static let maximumReopenings = 3

    private var reopenings = 0

    /// Whether a connection that the device closed is to be acknowledged and opened again.
    mutating func mayReopen() -> Bool {
        guard self.reopenings < Self.maximumReopenings else { return false }
        self.reopenings += 1
        return true
    }
}
