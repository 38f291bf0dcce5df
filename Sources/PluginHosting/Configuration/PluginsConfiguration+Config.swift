internal import CastWire
public import GatewayConfig
internal import PluginKit

extension PluginsConfiguration {
    /// The keys of `plugins`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "directory", .path, .defaultsTo("./Plugins"),
            "Where the plugins lie, each in a folder named by its id. Nothing in it runs unless an instance names it",
            reload: .plugin),
        ConfigField(
            "allow_in_process", .boolean, .defaultsTo("false"),
            "Whether modules may be loaded into the gateway; what happens to one of them happens to the gateway",
            reload: .plugin),
        ConfigField(
            "defaults", .object(PluginSettings.fields(hasDefaults: true)), .defaultsTo("{}"),
            "What holds for every instance that does not say otherwise", reload: .plugin),
        ConfigField(
            "instances", .list(of: PluginInstance.schema, uniqueKey: "name"), .defaultsTo("[]"),
            "The plugins that run, in the order in which filters are asked", reload: .plugin),
    ])

    /// Reads the typed values from a checked section.
    /// - Parameter folders: what was found where the plugins lie; instances whose folder is not in it are left out.
    public init(reading section: ConfigSection, folders: PluginFolders) {
        let defaults = PluginSettings(reading: section.section("defaults"))
        self.init(
            directory: section.string("directory"), allowsInProcess: section.boolean("allow_in_process"),
            defaults: defaults,
            instances: section.sections("instances").compactMap {
                PluginInstance(reading: $0, defaults: defaults, folders: folders)
            })
    }
}
