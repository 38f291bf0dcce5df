/// How a plugin's process is shut in.
public enum PluginSandbox: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case none
    /// By limits on resources, and without new privileges.
    case basic
    /// Also by what files and network it reaches.
    case strict
}
