public import GatewayConfig

extension VolumeConfiguration {
    /// The keys of `virtual_devices[].volume`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "control",
            .word(Control.self),
            .defaultsTo("attenuation"),
            "The control type reported to senders; with `fixed` they cannot change the level"
        ),
        ConfigField("level", .number(0...1), .defaultsTo("0.5"), "The level at start"),
        ConfigField("step", .number(0.001...1), .defaultsTo("0.05"), "The step that senders should use"),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            control: section.word("control", as: Control.self, otherwise: .attenuation),
            level: section.number("level"),
            step: section.number("step")
        )
    }
}
