public import PluginKit

/// A plugin that runs cannot make sense of its new configuration.
public struct PluginConfigurationRefused: Error, Sendable, CustomStringConvertible {
    /// The plugin's name.
    public let name: String
    /// What is wrong, by JSON pointers into its `config`; empty when it did not say.
    public let problems: [ConfigurationProblem]
    /// The same in a sentence.
    public let description: String
}
