public import GatewayConfig

extension MulticastConfiguration {
    /// The keys of `discovery.mdns`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "enabled", .boolean, .defaultsTo("true"),
            "Whether devices are searched for; it takes an Avahi daemon, and without one the rest goes on"),
        ConfigField(
            "passive", .boolean, .defaultsTo("true"),
            "Whether Castway only listens to what devices announce; `false` asks the network every 10 s"),
        ConfigField(
            "interfaces",
            .list(of: .text(allowed: "a-zA-Z0-9._@:-", length: 1...15)),
            .defaultsTo("[]"),
            "The network interfaces to listen on; an empty list means all",
            example: "[eth0]"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            isEnabled: section.boolean("enabled"), isPassive: section.boolean("passive"),
            interfaces: section.strings("interfaces"))
    }
}
