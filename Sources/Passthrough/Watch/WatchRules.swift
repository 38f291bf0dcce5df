public import CastWire

/// `virtual_devices[].target.observe`: what the gateway sees of a device whose senders are passed through, by a channel of its own.
public enum PassthroughObservation: String, Sendable, Hashable, CaseIterable {
    /// The platform, and what the apps play.
    case media
    /// The platform alone: which apps run, and the volume. No app is connected to.
    case receiver
    /// Nothing: there is no channel beside the senders'.
    case none
}

/// What the gateway sees to on a device whose senders are passed through.
public struct WatchRules: Sendable, Hashable {
    /// The apps that may run; nil for all.
    public var allowedApps: Set<AppID>?
    /// How loud the device may be, from 0 to 1; nil for as loud as it can.
    public var maximumVolume: Double?
    /// Whether apps are stopped when `senders.during` is over.
    public var stopsAtEnd = false
    /// Whether it listens to what the apps play.
    public var observesMedia = true

    /// Sees to nothing.
    public init() {}
}
