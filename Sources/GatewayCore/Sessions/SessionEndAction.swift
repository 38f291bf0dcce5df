/// What ending a session does to the device.
public enum SessionEndAction: String, Sendable, Hashable, CaseIterable {
    /// Leaves the app: its virtual connection is closed, and the app goes on for others.
    case leave
    /// Leaves the app. The channel of a configured device stays.
    case disconnect
    /// Stops the app.
    case stop
}
