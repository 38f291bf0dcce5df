public import GatewayConfig

/// `virtual_devices[].volume`: the volume that senders see on a virtual device.
public struct VolumeConfiguration: ConfigSettings {
    /// The control type reported to senders (PROTOCOL notes, RECEIVER_STATUS `volume.controlType`).
    public enum Control: String, Sendable, CaseIterable {
        /// Senders may set the level.
        case attenuation
        /// Senders may not change the level.
        case fixed
        /// Senders set the level of what the device drives, a television for example.
        case master
    }

    /// The control type.
    public var control = Control.attenuation
    /// The level at start, 0 to 1.
    public var level = 0.5
    /// The step that senders should use, 0.001 to 1.
    public var step = 0.05
    /// How loud a device may be whose senders are passed through, 0 to 1; nil for as loud as it can.
    public var maximum: Double?

    /// The keys of `virtual_devices[].volume`.
    public static let keys: [Key] = [
        Key(
            "control", \.control, .word,
            "The control type reported to senders; with `fixed` they cannot change the level"),
        Key("level", \.level, .number(0...1), "The level at start"),
        Key("step", \.step, .number(0.001...1), "The step that senders should use"),
        .optional(
            "max", \.maximum, .number(0...1),
            "Of a device with `target: {passthrough: …}`, which has no other key of these: the level to which the real device is set back "
                + "when it is louder while it is used", example: "0.6"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}
}
