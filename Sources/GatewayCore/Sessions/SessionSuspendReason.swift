/// Why a session was suspended, by the numbers that the Cast SDKs use.
public enum SessionSuspendReason: Int, Sendable, Hashable, CaseIterable {
    /// Nobody knows.
    case unknown = -1
    /// It is not suspended.
    case none = 0
    /// Nobody uses it for the time being.
    case appBackgrounded = 1
    /// The connection to the device broke, or the device fell silent.
    case networkError = 2
    /// It is not known where the device is.
    case networkNotReachable = 3
    /// The gateway stopped.
    case appTerminated = 4

    /// The reason in a word that never changes.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .none: "none"
        case .appBackgrounded: "app_backgrounded"
        case .networkError: "network_error"
        case .networkNotReachable: "network_not_reachable"
        case .appTerminated: "app_terminated"
        }
    }
}
