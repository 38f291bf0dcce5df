package import GatewayConfig
package import GatewayCore

/// The order of scopes, the narrowest first.
package struct PluginsConfiguration: ConfigSettings, Hashable {
    /// The folder of the plugins' folders.
    package var directory = "./Plugins"
    /// Allows modules in the gateway's own process.
    package var allowsInProcess = false
    /// The settings of every instance that does not say otherwise; the instances hold them already.
    package var defaults = PluginSettings()
    /// The plugins, in the order in which they are asked.
    package var instances: [PluginInstance] = []

    package static let keys: [Key] = [
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

    package init() {}

    /// Reads the typed values from a checked section.
    /// - Parameter folders: what was found where the plugins lie; instances whose folder is not in it are left out.
    package init(reading section: ConfigSection, folders: PluginFolders) {
        self.init(reading: section)
        self.instances = section.sections("instances").compactMap {
            PluginInstance(reading: $0, defaults: self.defaults, folders: folders)
        }
    }

    /// The handlers that the plugins would be, with all that they are granted; nothing is started, and they answer nothing.
    package var silentHandlers: [any MessageHandler] {
        self.instances.map { PluginHandler(silentFor: $0) }
    }

    /// The notes on each plugin as a handler, by its name.
    package var routeNotes: [String: String] {
        Dictionary(
            self.instances.map { instance in
                (instance.name, "plugin \(instance.plugin) \(instance.manifest.version)")
            }, uniquingKeysWith: { first, _ in first })
    }
}
