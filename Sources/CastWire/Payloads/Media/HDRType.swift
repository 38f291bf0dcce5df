/// How much light a picture has (FEATURES of the SDKs: `GCKVideoInfoHDRType`; protocol notes, 6.3).
public struct HDRType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Standard dynamic range.
    public static let standard = HDRType(rawValue: "sdr")
    /// High dynamic range, HDR10 for example.
    public static let high = HDRType(rawValue: "hdr")
    /// Dolby Vision.
    public static let dolbyVision = HDRType(rawValue: "dv")
}
