/// `virtual_devices[].volume`: the volume that senders see on a virtual device.
public struct VolumeConfiguration: Sendable, Equatable {
    /// The control type reported to senders (PROTOCOL notes, RECEIVER_STATUS `volume.controlType`).
    public enum Control: String, Sendable, CaseIterable {
        /// Senders may set the level.
        case attenuation
        /// Senders may not change the level.
        case fixed
        /// Senders set the level of what the device drives, a television for example.
        case master
    }

    /// The control type. Default ``Control/attenuation``.
    public var control: Control
    /// The level at start, 0 to 1. Default 0.5.
    public var level: Double
    /// The step that senders should use, 0.001 to 1. Default 0.05.
    public var step: Double

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(control: Control = .attenuation, level: Double = 0.5, step: Double = 0.05) {
        self.control = control
        self.level = level
        self.step = step
    }
}
