public import GatewayConfig

extension SetupConfiguration {
    /// The keys of `virtual_devices[].setup`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "http",
            .listenAddress,
            .optional,
            "The address for HTTP; without it there is none",
            example: "0.0.0.0:8008"
        ),
        ConfigField(
            "https",
            .listenAddress,
            .optional,
            "The address for HTTPS; without it there is none",
            example: "0.0.0.0:8443"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            http: section.optionalListenAddress("http"),
            https: section.optionalListenAddress("https")
        )
    }
}
