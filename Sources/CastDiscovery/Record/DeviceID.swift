/// What a device is known by for its whole life, whatever its name and its address: the TXT key `id`.
///
/// Devices write 32 hexadecimal digits, groups the same with dashes (protocol notes, 1.2); here all are lower-case and
/// without dashes, so that equal ids are equal.
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// No id that was ever seen is longer than a UUID; what is much longer is no id.
    private static let maximumLength = 64

    /// The id in small letters without dashes.
    public let text: String

    /// Reads an id in any of its forms.
    /// - Returns: nil when there is nothing in it but dashes, or anything but ASCII letters and digits, or when it is
    ///   longer than 64 characters.
    public init?(_ text: String) {
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
    public init?(instance: String) {
        let parts = instance.split(separator: "-")
        for part in parts.reversed().prefix(2) where part.utf8.count == 32 && part.allSatisfy(\.isHexDigit) {
            self.init(String(part))
            return
        }
        return nil
    }

    /// The order of the texts.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.text < right.text }

    /// The id in small letters without dashes.
    public var description: String { self.text }
}
