/// How a plugin's process is shut in.
public enum PluginSandbox: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case none
    /// By limits on resources, without privileges, and by what system calls reach beyond it.
    case basic
    /// Also by what files it reaches.
    case strict
}
