/// What happened to a plugin.
public enum PluginChange: Hashable, Sendable {
    /// It answers messages from now on.
    case ready(version: String)
    /// It works, and says that something is not as it should be; or it works again after that, when there is no reason.
    case degraded(reason: String?)
    /// It ended without having been asked to. The lines are the last that it wrote to its standard error.
    case crashed(reason: String, lines: [String])
    /// It ends again and again, and is tried at long intervals from now on.
    case crashlooped(reason: String)
    /// It ended as it was meant to, or is not started any more.
    case stopped(reason: String)

    /// The event's name on every door.
    public var name: String {
        switch self {
        case .ready: "plugin.ready"
        case .degraded: "plugin.degraded"
        case .crashed: "plugin.crashed"
        case .crashlooped: "plugin.crashlooped"
        case .stopped: "plugin.stopped"
        }
    }
}
