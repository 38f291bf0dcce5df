/// The id of a device for its whole life, whatever its name and its address: the TXT key `id`.
///
/// Devices write 32 hexadecimal digits, groups the same with dashes (protocol notes, 1.2); here all are lower-case and
/// without dashes, so that equal ids are equal.
package struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// No id that was ever seen is longer than a UUID; what is much longer is no id.
    private static let maximumLength = 64

    /// The id in small letters without dashes.
    package let text: String

    /// Reads an id in any of its forms.
    /// - Returns: nil when there is nothing in it but dashes, or anything but ASCII letters and digits, or when it is
    ///   longer than 64 characters.
    package init?(_ text: String) {
        var canonical: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): canonical.append(byte + 32)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): canonical.append(byte)
            default: return nil
            }
            guard canonical.count <= Self.maximumLength else { return nil }
        }
        guard !canonical.isEmpty else { return nil }
        self.text = String(decoding: canonical, as: UTF8.self)
    }

    /// The id at the end of an instance name, as devices build it: `Model-<32 digits>`, groups sometimes with `-1` behind
    /// it (protocol notes, 1.1).
    package init?(instance: String) {
        let parts = instance.split(separator: "-")
        for part in parts.reversed().prefix(2) where part.utf8.count == 32 && part.allSatisfy(\.isHexDigit) {
            self.init(String(part))
            return
        }
        return nil
    }

    /// The order of the texts.
    package static func < (left: DeviceID, right: DeviceID) -> Bool { left.text < right.text }

    package var description: String { self.text }
}

/// The abilities of a Cast device: the bits of the TXT key `ca` (protocol notes, 1.3). Bits without a name are kept.
package struct DeviceCapabilities: OptionSet, Hashable, Sendable {
    /// The bits as they stand in the record.
    package let rawValue: UInt64

    /// Makes a set from the record's number.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// A screen.
    package static let videoOut = DeviceCapabilities(rawValue: 1)
    /// A camera.
    package static let videoIn = DeviceCapabilities(rawValue: 2)
    /// A loudspeaker.
    package static let audioOut = DeviceCapabilities(rawValue: 4)
    /// A microphone.
    package static let audioIn = DeviceCapabilities(rawValue: 8)
    package static let developerMode = DeviceCapabilities(rawValue: 16)
    package static let multizoneGroup = DeviceCapabilities(rawValue: 32)
    /// It is a group that was made for one session.
    package static let dynamicGroup = DeviceCapabilities(rawValue: 64)
    /// It is a group whose members play a channel each, such as a stereo pair.
    package static let multichannelGroup = DeviceCapabilities(rawValue: 128)
    /// It is a member of such a group.
    package static let multichannelMember = DeviceCapabilities(rawValue: 256)
    /// Its volume is that of the whole system, or fixed.
    package static let masterOrFixedVolume = DeviceCapabilities(rawValue: 2048)
    /// Its volume attenuates what it plays, or is fixed.
    package static let attenuationOrFixedVolume = DeviceCapabilities(rawValue: 4096)
    /// It can become a member of a group while it plays.
    package static let dynamicGrouping = DeviceCapabilities(rawValue: 65536)

    private static let names: [(DeviceCapabilities, String)] = [
        (.videoOut, "videoOut"), (.videoIn, "videoIn"), (.audioOut, "audioOut"), (.audioIn, "audioIn"),
        (.developerMode, "developerMode"), (.multizoneGroup, "multizoneGroup"), (.dynamicGroup, "dynamicGroup"),
        (.multichannelGroup, "multichannelGroup"), (.multichannelMember, "multichannelMember"),
        (.masterOrFixedVolume, "masterOrFixedVolume"), (.attenuationOrFixedVolume, "attenuationOrFixedVolume"),
        (.dynamicGrouping, "dynamicGrouping"),
    ]

    /// The names of the bits that have one, in the order of the bits.
    package var names: [String] { Self.names.filter { self.contains($0.0) }.map(\.1) }
}
