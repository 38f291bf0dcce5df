/// How a plugin is run.
public enum PluginKind: String, Sendable, Hashable, CaseIterable {
    /// A process that the gateway starts.
    case process
    /// A library in the gateway's own process.
    case module
    /// A process that others start, and that connects to a socket of the gateway's.
    case socket
}
