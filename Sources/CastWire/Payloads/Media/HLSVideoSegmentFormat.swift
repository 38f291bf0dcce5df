/// What the video segments of an HLS stream are (protocol notes, 6.5).
public struct HLSVideoSegmentFormat: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// MPEG-2 transport stream.
    public static let transportStream = HLSVideoSegmentFormat(rawValue: "mpeg2_ts")
    /// Fragmented MP4.
    public static let fragmentedMP4 = HLSVideoSegmentFormat(rawValue: "fmp4")
}
