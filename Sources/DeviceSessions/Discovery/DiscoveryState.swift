/// Whether devices are searched for.
public enum DiscoveryState: Hashable, Sendable {
    /// They are not.
    case stopped
    /// The mDNS daemon is being connected to.
    case starting
    /// They are.
    case running
    /// They would be, but for this reason.
    case blocked(reason: String)

    /// True unless it is stopped.
    public var isActive: Bool { self != .stopped }

    /// The state in a word.
    public var name: String {
        switch self {
        case .stopped: "stopped"
        case .starting: "starting"
        case .running: "running"
        case .blocked: "blocked"
        }
    }
}
