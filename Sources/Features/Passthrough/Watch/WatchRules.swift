package import CastWire

/// `virtual_devices[].target.observe`: what the gateway sees of a device whose senders are passed through, by a channel of its own.
package enum PassthroughObservation: String, Sendable, Hashable, CaseIterable {
    /// The platform, and what the apps play.
    case media
    /// The platform alone: which apps run, and the volume. No app is connected to.
    case receiver
    /// Nothing: there is no channel beside the senders'.
    case none
}

/// The rules that the gateway enforces on a device whose senders are passed through.
package struct WatchRules: Sendable, Hashable {
    /// The apps that may run; nil for all.
    package var allowedApps: Set<AppID>?
    /// The loudest level of the device, from 0 to 1; nil for as loud as it can.
    package var maximumVolume: Double?
    /// Stops apps when `senders.during` is over.
    package var stopsAtEnd = false
    /// Listens to what the apps play.
    package var observesMedia = true

    package init() {}
}
