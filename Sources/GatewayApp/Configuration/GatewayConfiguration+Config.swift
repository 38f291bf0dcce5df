internal import BuiltInReceiver
internal import ControlAPI
internal import DeviceSessions
public import GatewayConfig
internal import NamespaceHandlers
public import PluginHosting
internal import VirtualDevices

extension GatewayConfiguration {
    /// The version of the format of `gateway.yaml` that this Castway reads.
    public static let formatVersion = 1

    /// All keys of `gateway.yaml`, in the order in which they are documented.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "version",
            .formatVersion(formatVersion),
            .required,
            "The version of this file's format",
            example: "1",
            reload: .hot
        ),
        ConfigField(
            "include",
            .list(of: .glob),
            .optional,
            "Further files, relative to this one and not outside its folder: `*` and `?` are wildcards. Mappings merge, "
                + "lists of mappings are appended, everything else may be set in one file only",
            example: "[conf.d/*.yaml]",
            reload: .hot
        ),
        ConfigField("gateway", GatewaySettings.schema, .defaultsTo("{}"), "Who this gateway is"),
        ConfigField("log", LogConfiguration.schema, .defaultsTo("{}"), "What is logged and how", reload: .hot),
        ConfigField(
            "identity",
            IdentityConfiguration.schema,
            .defaultsTo("{}"),
            "The root of the certificates of virtual devices; both files or neither",
            reload: .restart
        ),
        ConfigField("shutdown", ShutdownConfiguration.schema, .defaultsTo("{}"), "How the gateway stops", reload: .hot),
        ConfigField("admin", AdminConfiguration.schema, .defaultsTo("{}"), "How the gateway is asked to do things"),
        ConfigField(
            "discovery", DiscoveryConfiguration.schema, .defaultsTo("{}"), "Where real devices are found",
            reload: .device),
        ConfigField(
            "connections",
            ConnectionsConfiguration.schema.adding(
                ConfigField(
                    "senders", SenderLimits.schema, .defaultsTo("{}"), "The connections of senders",
                    reload: .newConnections),
                ConfigField(
                    "setup", SetupLimits.schema, .defaultsTo("{}"),
                    "The connections to the set-up services, HTTP and HTTPS", reload: .newConnections)
            ),
            .defaultsTo("{}"),
            "The connections to real devices, and those of senders",
            reload: .newConnections
        ),
        ConfigField(
            "sessions", SessionsConfiguration.schema, .defaultsTo("{}"), "How sessions on real devices are kept",
            reload: .hot),
        ConfigField(
            "launch", LaunchConfiguration.schema, .defaultsTo("{}"), "What is added when an app is launched",
            reload: .hot),
        ConfigField(
            "virtual_devices",
            .list(of: VirtualDeviceConfiguration.schema, uniqueKey: "name"),
            .defaultsTo("[]"),
            "The devices that senders see",
            reload: .listener
        ),
        ConfigField(
            "routing", RoutingConfiguration.schema, .defaultsTo("{}"), "What becomes of messages", reload: .hot),
        ConfigField(
            "channels",
            .list(of: ChannelConfiguration.schema, uniqueKey: "namespace"),
            .defaultsTo("[]"),
            "Custom namespaces that Castway answers itself",
            reload: .hot
        ),
        ConfigField(
            "plugins", PluginsConfiguration.schema, .defaultsTo("{}"), "Programs of others that handle messages",
            reload: .plugin),
    ])

    /// Reads the typed values from a checked configuration.
    /// - Parameter folders: what was found where the plugins lie.
    public init(reading root: ConfigSection, pluginFolders folders: PluginFolders = PluginFolders()) {
        let connections = root.section("connections")
        let virtualDevices = root.sections("virtual_devices").map { VirtualDeviceConfiguration(reading: $0) }
        var plugins = PluginsConfiguration(reading: root.section("plugins"), folders: folders)
        plugins.grant(virtualDevices.flatMap(Self.players))
        self.init(
            gateway: GatewaySettings(reading: root.section("gateway")),
            log: LogConfiguration(reading: root.section("log")),
            admin: AdminConfiguration(reading: root.section("admin")),
            identity: IdentityConfiguration(reading: root.section("identity")),
            shutdown: ShutdownConfiguration(reading: root.section("shutdown")),
            discovery: DiscoveryConfiguration(reading: root.section("discovery")),
            connections: ConnectionsConfiguration(reading: connections),
            senders: SenderLimits(reading: connections.section("senders")),
            setupLimits: SetupLimits(reading: connections.section("setup")),
            sessions: SessionsConfiguration(reading: root.section("sessions")),
            launch: LaunchConfiguration(reading: root.section("launch")),
            virtualDevices: virtualDevices,
            routing: RoutingConfiguration(reading: root.section("routing")),
            channels: root.sections("channels").map { ChannelConfiguration(reading: $0) },
            plugins: plugins
        )
    }

    /// The plugins that are players of a device's apps.
    private static func players(of device: VirtualDeviceConfiguration) -> [AppPlayer] {
        (device.apps ?? []).compactMap { app in
            guard case .plugin(let name) = app.player else { return nil }
            return AppPlayer(device: device.name, app: app.id, plugin: name)
        }
    }
}
