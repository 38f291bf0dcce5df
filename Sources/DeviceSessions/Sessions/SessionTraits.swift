public import CastWire

/// What can be done with the volume of a session's device.
public struct SessionTraits: Hashable, Sendable {
    /// The lowest level.
    public let minimumVolume: Double
    /// The highest level.
    public let maximumVolume: Double
    /// By how much the level is to be changed at once; 0 when it cannot be changed.
    public let volumeIncrement: Double
    /// Whether the device can be muted.
    public let supportsMuting: Bool

    /// Whether the level cannot be changed.
    public var isFixedVolume: Bool { self.minimumVolume == self.maximumVolume }

    /// Reads what a device says of its volume; one that says nothing has the usual range.
    public init(_ volume: ReceiverVolume?) {
        let isFixed = volume?.controlType == .fixed
        let level = volume?.level ?? 1
        let step = volume?.stepInterval.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
        self.minimumVolume = isFixed ? level : 0
        self.maximumVolume = isFixed ? level : 1
        self.volumeIncrement = isFixed ? 0 : step ?? 0.05
        self.supportsMuting = !isFixed
    }
}
