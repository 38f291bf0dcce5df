/// The MIME type of a text track (protocol notes, 6.7). The file must be served with CORS headers.
public struct TextTrackType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// WebVTT, what most receivers take.
    public static let webVTT = TextTrackType(rawValue: "text/vtt")
    /// TTML.
    public static let ttml = TextTrackType(rawValue: "application/ttml+xml")
    /// TTML in MP4.
    public static let ttmlInMP4 = TextTrackType(rawValue: "application/mp4")
    /// CEA-608, in the stream itself.
    public static let cea608 = TextTrackType(rawValue: "text/cea608")
}
