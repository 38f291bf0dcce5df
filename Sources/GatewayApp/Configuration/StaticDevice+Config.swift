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
        ConfigField(
            "id",
            .text(allowed: "a-zA-Z0-9-", length: 1...64),
            .optional,
            "The device's id, as `castway devices` shows it: the device that announces itself under it is this one, "
                + "wherever it is by then",
            example: "9d2b7c1e4f6a48b0a3c5d7e9f1023456"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            name: section.string("name"), address: section.dialAddress("address"),
            id: section.optionalString("id"))
    }
}
