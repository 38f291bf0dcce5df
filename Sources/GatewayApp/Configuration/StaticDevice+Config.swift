public import GatewayConfig

extension StaticDevice {
    /// The keys of one element of `discovery.static`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "name",
            .text(maximumBytes: 200),
            .required,
            "The name by which a virtual device means it",
            example: "meeting-room"
        ),
        ConfigField(
            "address",
            .dialAddress(),
            .required,
            "Where the device answers",
            example: "192.0.2.40:8009"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(name: section.string("name"), address: section.dialAddress("address"))
    }
}
