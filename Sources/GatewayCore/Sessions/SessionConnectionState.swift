/// How far a session is, as the Cast SDKs put it.
public enum SessionConnectionState: String, Sendable, Hashable, CaseIterable {
    /// There is no connection: it has ended, or is suspended.
    case disconnected
    /// It is being started or resumed, or looks for its device.
    case connecting
    /// The app can be spoken to.
    case connected
    /// It is being ended.
    case disconnecting
}
