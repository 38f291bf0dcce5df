internal import DeviceSessions
public import GatewayConfig
internal import NamespaceHandlers
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
            example: "1"
        ),
        ConfigField(
            "include",
            .list(of: .glob),
            .optional,
            "Further files, relative to this one and not outside its folder: `*` and `?` are wildcards. Mappings merge, "
                + "lists of mappings are appended, everything else may be set in one file only",
            example: "[conf.d/*.yaml]"
        ),
        ConfigField("gateway", GatewaySettings.schema, .defaultsTo("{}"), "Who this gateway is"),
        ConfigField("log", LogConfiguration.schema, .defaultsTo("{}"), "What is logged and how"),
        ConfigField(
            "identity",
            IdentityConfiguration.schema,
            .defaultsTo("{}"),
            "The root of the certificates of virtual devices; both files or neither"
        ),
        ConfigField("shutdown", ShutdownConfiguration.schema, .defaultsTo("{}"), "How the gateway stops"),
        ConfigField("discovery", DiscoveryConfiguration.schema, .defaultsTo("{}"), "Where real devices are found"),
        ConfigField(
            "connections",
            ConnectionsConfiguration.schema.adding(
                ConfigField("senders", SenderLimits.schema, .defaultsTo("{}"), "The connections of senders")
            ),
            .defaultsTo("{}"),
            "The connections to real devices, and those of senders"
        ),
        ConfigField("launch", LaunchConfiguration.schema, .defaultsTo("{}"), "What is added when an app is launched"),
        ConfigField(
            "virtual_devices",
            .list(of: VirtualDeviceConfiguration.schema, uniqueKey: "name"),
            .defaultsTo("[]"),
            "The devices that senders see"
        ),
        ConfigField("routing", RoutingConfiguration.schema, .defaultsTo("{}"), "What becomes of messages"),
        ConfigField(
            "channels",
            .list(of: ChannelConfiguration.schema, uniqueKey: "namespace"),
            .defaultsTo("[]"),
            "Custom namespaces that Castway answers itself"
        ),
    ])

    /// Reads the typed values from a checked configuration.
    public init(reading root: ConfigSection) {
        let connections = root.section("connections")
        self.init(
            gateway: GatewaySettings(reading: root.section("gateway")),
            log: LogConfiguration(reading: root.section("log")),
            identity: IdentityConfiguration(reading: root.section("identity")),
            shutdown: ShutdownConfiguration(reading: root.section("shutdown")),
            discovery: DiscoveryConfiguration(reading: root.section("discovery")),
            connections: ConnectionsConfiguration(reading: connections),
            senders: SenderLimits(reading: connections.section("senders")),
            launch: LaunchConfiguration(reading: root.section("launch")),
            virtualDevices: root.sections("virtual_devices").map { VirtualDeviceConfiguration(reading: $0) },
            routing: RoutingConfiguration(reading: root.section("routing")),
            channels: root.sections("channels").map { ChannelConfiguration(reading: $0) }
        )
    }
}
