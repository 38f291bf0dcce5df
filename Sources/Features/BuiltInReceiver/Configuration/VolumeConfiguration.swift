package import GatewayConfig

/// `virtual_devices[].volume`: the volume that senders see on a virtual device.
package struct VolumeConfiguration: ConfigSettings {
    /// The control type reported to senders (PROTOCOL notes, RECEIVER_STATUS `volume.controlType`).
    package enum Control: String, Sendable, CaseIterable {
        case attenuation
        case fixed
        /// Senders set the level of what the device drives, a television for example.
        case master
    }

    package var control = Control.attenuation
    /// The level at start, 0 to 1.
    package var level = 0.5
    /// The step that senders should use, 0.001 to 1.
    package var step = 0.05
    /// The loudest level of a device whose senders are passed through, 0 to 1; nil for as loud as it can.
    package var maximum: Double?

    package static let keys: [Key] = [
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

    package init() {}
}
