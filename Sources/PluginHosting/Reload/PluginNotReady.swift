/// A plugin's new process does not come up.
public struct PluginNotReady: Error, Sendable, CustomStringConvertible {
    /// The plugin's name.
    public let name: String
    /// Why it does not.
    public let reason: String

    /// The same in a sentence.
    public var description: String { "the plugin '\(self.name)' does not come up: \(self.reason)" }
}
