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

    /// The keys of `virtual_devices[].volume`.
    public static let keys: [Key] = [
        Key(
            "control", \.control, .word,
            "The control type reported to senders; with `fixed` they cannot change the level"),
        Key("level", \.level, .number(0...1), "The level at start"),
        Key("step", \.step, .number(0.001...1), "The step that senders should use"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}
}
