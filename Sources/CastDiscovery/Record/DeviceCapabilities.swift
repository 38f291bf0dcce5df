/// What a Cast device can do: the bits of the TXT key `ca` (protocol notes, 1.3). Bits without a name are kept.
public struct DeviceCapabilities: OptionSet, Hashable, Sendable {
    /// The bits as they stand in the record.
    public let rawValue: UInt64

    /// Makes a set from the record's number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// It has a screen.
    public static let videoOut = DeviceCapabilities(rawValue: 1)
    /// It has a camera.
    public static let videoIn = DeviceCapabilities(rawValue: 2)
    /// It has a loudspeaker.
    public static let audioOut = DeviceCapabilities(rawValue: 4)
    /// It has a microphone.
    public static let audioIn = DeviceCapabilities(rawValue: 8)
    /// It is in developer mode.
    public static let developerMode = DeviceCapabilities(rawValue: 16)
    /// It is a group of speakers.
    public static let multizoneGroup = DeviceCapabilities(rawValue: 32)
    /// It is a group that was made for one session.
    public static let dynamicGroup = DeviceCapabilities(rawValue: 64)
    /// It is a group whose members play a channel each, such as a stereo pair.
    public static let multichannelGroup = DeviceCapabilities(rawValue: 128)
    /// It is a member of such a group.
    public static let multichannelMember = DeviceCapabilities(rawValue: 256)
    /// Its volume is that of the whole system, or fixed.
    public static let masterOrFixedVolume = DeviceCapabilities(rawValue: 2048)
    /// Its volume attenuates what it plays, or is fixed.
    public static let attenuationOrFixedVolume = DeviceCapabilities(rawValue: 4096)
    /// It can become a member of a group while it plays.
    public static let dynamicGrouping = DeviceCapabilities(rawValue: 65536)

    private static let names: [(DeviceCapabilities, String)] = [
        (.videoOut, "videoOut"), (.videoIn, "videoIn"), (.audioOut, "audioOut"), (.audioIn, "audioIn"),
        (.developerMode, "developerMode"), (.multizoneGroup, "multizoneGroup"), (.dynamicGroup, "dynamicGroup"),
        (.multichannelGroup, "multichannelGroup"), (.multichannelMember, "multichannelMember"),
        (.masterOrFixedVolume, "masterOrFixedVolume"), (.attenuationOrFixedVolume, "attenuationOrFixedVolume"),
        (.dynamicGrouping, "dynamicGrouping"),
    ]

    /// The names of the bits that have one, in the order of the bits.
    public var names: [String] { Self.names.filter { self.contains($0.0) }.map(\.1) }
}
