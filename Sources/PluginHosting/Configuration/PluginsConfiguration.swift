public import GatewayConfig
public import GatewayCore

/// `plugins`: which plugins run, and what they may do.
public struct PluginsConfiguration: ConfigSettings, Hashable {
    /// Where the plugins' folders lie.
    public var directory = "./Plugins"
    /// Whether modules may be loaded into the gateway's own process.
    public var allowsInProcess = false
    /// What holds for every instance that does not say otherwise; the instances hold it already.
    public var defaults = PluginSettings()
    /// The plugins, in the order in which they are asked.
    public var instances: [PluginInstance] = []

    /// The keys of `plugins`.
    public static let keys: [Key] = [
        Key(
            "directory", \.directory, .path,
            "Where the plugins lie, each in a folder named by its id. Nothing in it runs unless an instance names it",
            reload: .plugin),
        Key(
            "allow_in_process", \.allowsInProcess, .boolean,
            "Whether modules may be loaded into the gateway; what happens to one of them happens to the gateway",
            reload: .plugin),
        .section(
            "defaults", "What holds for every instance that does not say otherwise", reload: .plugin,
            PluginSettings.keys.embedded(in: \Self.defaults)),
        Key(
            "instances", \.instances, .list(of: .object, namedBy: "name", \.name, orderMatters: true),
            "The plugins that run, in the order in which filters are asked", reload: .plugin),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}

    /// Reads the typed values from a checked section.
    /// - Parameter folders: what was found where the plugins lie; instances whose folder is not in it are left out.
    public init(reading section: ConfigSection, folders: PluginFolders) {
        self.init(reading: section)
        self.instances = section.sections("instances").compactMap {
            PluginInstance(reading: $0, defaults: self.defaults, folders: folders)
        }
    }

    /// The handlers that the plugins would be, with all that they are granted; nothing is started, and they answer nothing.
    public var silentHandlers: [any MessageHandler] {
        self.instances.map { PluginHandler(silentFor: $0) }
    }

    /// What there is to say of each plugin as a handler, by its name.
    public var routeNotes: [String: String] {
        Dictionary(
            self.instances.map { instance in
                (instance.name, "plugin \(instance.plugin) \(instance.manifest.version)")
            }, uniquingKeysWith: { first, _ in first })
    }
}
