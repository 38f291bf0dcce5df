public import GatewayConfig

extension SimulationOptions {
    /// The keys of `virtual_devices[].apps.APP.options`.
    public static let schema = ConfigSchema.object([
        ConfigField("load_delay", .duration(), .defaultsTo("200ms"), "From LOAD to the first media status"),
        ConfigField("buffering", .duration(), .defaultsTo("100ms"), "How long the player buffers before it plays"),
        ConfigField(
            "launch_delay", .duration(), .defaultsTo("100ms"), "From LAUNCH to the running app; devices take longer"),
        ConfigField(
            "default_duration",
            .duration(),
            .defaultsTo("10m"),
            "The length of media whose LOAD names none"
        ),
        ConfigField(
            "preload_time",
            .duration(),
            .defaultsTo("20s"),
            "How long before the end of an item the next one is preloaded"
        ),
        ConfigField("live_window", .duration(), .defaultsTo("30s"), "The length of the seekable window of live media"),
        ConfigField(
            "failures",
            .list(of: SimulatedFailure.schema),
            .defaultsTo("[]"),
            "Media that fail, for testing senders; the first match decides",
            example: "[{match: \"*broken*\"}]"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            loadDelay: section.duration("load_delay"),
            buffering: section.duration("buffering"),
            launchDelay: section.duration("launch_delay"),
            defaultDuration: section.duration("default_duration"),
            preloadTime: section.duration("preload_time"),
            liveWindow: section.duration("live_window"),
            failures: section.sections("failures").map { SimulatedFailure(reading: $0) }
        )
    }
}
