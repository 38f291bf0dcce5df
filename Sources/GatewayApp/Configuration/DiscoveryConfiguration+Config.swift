public import GatewayConfig

extension DiscoveryConfiguration {
    /// The keys of `discovery`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "static",
            .list(of: StaticDevice.schema, uniqueKey: "name"),
            .defaultsTo("[]"),
            "Real devices at known addresses, for networks without multicast"
        )
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(staticDevices: section.sections("static").map { StaticDevice(reading: $0) })
    }
}
