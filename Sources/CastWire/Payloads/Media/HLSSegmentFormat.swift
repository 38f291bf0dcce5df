/// What the audio segments of an HLS stream are (protocol notes, 6.5).
public struct HLSSegmentFormat: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// AAC.
    public static let aac = HLSSegmentFormat(rawValue: "aac")
    /// AC-3.
    public static let ac3 = HLSSegmentFormat(rawValue: "ac3")
    /// E-AC-3.
    public static let eac3 = HLSSegmentFormat(rawValue: "e_ac3")
    /// Fragmented MP4.
    public static let fragmentedMP4 = HLSSegmentFormat(rawValue: "fmp4")
    /// MP3.
    public static let mp3 = HLSSegmentFormat(rawValue: "mp3")
    /// MPEG-2 transport stream.
    public static let transportStream = HLSSegmentFormat(rawValue: "ts")
    /// AAC in an MPEG-2 transport stream.
    public static let transportStreamAAC = HLSSegmentFormat(rawValue: "ts_aac")
}
