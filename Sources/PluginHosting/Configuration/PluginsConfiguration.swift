/// `plugins`: which plugins run, and what they may do.
public struct PluginsConfiguration: Sendable, Hashable {
    /// Where the plugins' folders lie.
    public var directory: String
    /// Whether modules may be loaded into the gateway's own process.
    public var allowsInProcess: Bool
    /// What holds for every instance that does not say otherwise; the instances hold it already.
    public var defaults: PluginSettings
    /// The plugins, in the order in which they are asked.
    public var instances: [PluginInstance]

    /// Makes a configuration; each part has the default of `gateway.yaml`.
    public init(
        directory: String = "./Plugins", allowsInProcess: Bool = false, defaults: PluginSettings = PluginSettings(),
        instances: [PluginInstance] = []
    ) {
        self.directory = directory
        self.allowsInProcess = allowsInProcess
        self.defaults = defaults
        self.instances = instances
    }
}
