public import CastDiscovery

/// What a device is to people.
public enum DeviceType: String, Hashable, Sendable {
    /// Nothing is known.
    case generic
    /// It has a screen.
    case tv
    /// It has loudspeakers only.
    case speaker
    /// It stands for several speakers.
    case speakerGroup = "speaker_group"

    /// Tells it from what a device can do.
    public init(_ capabilities: DeviceCapabilities) {
        if !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup]) {
            self = .speakerGroup
        } else if capabilities.contains(.videoOut) {
            self = .tv
        } else {
            self = capabilities.contains(.audioOut) ? .speaker : .generic
        }
    }
}
