public import GatewayConfig

extension DiscoveryConfiguration {
    /// The keys of `discovery`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "mdns", MulticastConfiguration.schema, .defaultsTo("{}"), "How devices are searched for in the network",
            reload: .hot),
        ConfigField(
            "static",
            .list(of: StaticDevice.schema, uniqueKey: "name"),
            .defaultsTo("[]"),
            "Real devices at known addresses, for networks without multicast"
        ),
        ConfigField(
            "receiver_app",
            .appID,
            .optional,
            "The app that is to be used: devices that are known not to have it are not listed, and a new session "
                + "launches it",
            example: "CC1AD845",
            reload: .hot
        ),
        ConfigField(
            "allow",
            .list(of: .glob),
            .defaultsTo("[]"),
            "Friendly names or ids of the devices that are listed, with `*` and `?`; an empty list allows all. Those of "
                + "`static` are always listed",
            example: "[\"Meeting *\"]",
            reload: .hot
        ),
        ConfigField(
            "deny",
            .list(of: .glob),
            .defaultsTo("[]"),
            "Friendly names or ids of devices that are not listed, allowed or not",
            example: "[\"Guest *\"]",
            reload: .hot
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            multicast: MulticastConfiguration(reading: section.section("mdns")),
            staticDevices: section.sections("static").map { StaticDevice(reading: $0) },
            receiverApp: section.optionalString("receiver_app"),
            allow: section.strings("allow").map { Glob($0) }, deny: section.strings("deny").map { Glob($0) })
    }
}
