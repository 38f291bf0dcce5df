/// What ending a session does to the device.
public enum SessionEndAction: String, Sendable, Hashable, CaseIterable {
    /// Leaves the app: its virtual connection is closed, and the app goes on for others.
    case leave
    /// Leaves the app, and hangs up unless a virtual device relays to the device.
    case disconnect
    /// Stops the app.
    case stop
}
