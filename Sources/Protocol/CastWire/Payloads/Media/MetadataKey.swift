/// The 28 predefined keys of media metadata, as they are called on the wire (protocol notes, 6.6).
///
/// The SDKs send a predefined key only with the kinds of metadata that it belongs to, and its value is of one kind.
/// Whatever has another name is the app's own and always sent.
public enum MetadataKey: String, Hashable, Sendable, CaseIterable {
    /// When a photo was taken.
    case creationDate = "creationDateTime"
    /// When it came out.
    case releaseDate
    /// When an episode was first broadcast.
    case broadcastDate = "originalAirdate"
    /// What it is called.
    case title
    /// A second line.
    case subtitle
    /// Who made it.
    case artist
    /// Who made the album.
    case albumArtist
    /// The album.
    case albumTitle = "albumName"
    /// Who composed it.
    case composer
    /// The disc of an album, from 1.
    case discNumber
    /// The track of a disc, from 1.
    case trackNumber
    /// The season of a series, from 1.
    case seasonNumber = "season"
    /// The episode of a season, from 1.
    case episodeNumber = "episode"
    /// The series.
    case seriesTitle
    /// Who produced it.
    case studio
    /// A photo's width in pixels.
    case width
    /// A photo's height in pixels.
    case height
    /// Where a photo was taken, in words.
    case locationName = "location"
    /// Where a photo was taken, degrees north.
    case locationLatitude = "latitude"
    /// Where a photo was taken, degrees east.
    case locationLongitude = "longitude"
    /// The audiobook.
    case bookTitle
    /// The chapter of an audiobook, from 1.
    case chapterNumber
    /// What the chapter of an audiobook is called.
    case chapterTitle
    /// The length of a section in seconds.
    case sectionDuration
    /// Where a section begins in its container, in seconds.
    case sectionStartTimeInContainer
    /// Where a section begins in the media, in seconds.
    case sectionStartTimeInMedia
    /// When a section of a live stream begins, in seconds since 1970.
    case sectionStartAbsoluteTime
    /// The queue item of a section.
    case queueItemID = "queueItemId"

    /// The kinds of value that keys have.
    public enum ValueKind: Hashable, Sendable {
        /// Text.
        case text
        /// A whole number.
        case whole
        /// A number.
        case number
        /// A date, or a date and a time, ISO 8601 as text.
        case date
    }

    /// The kind of value.
    public var valueKind: ValueKind {
        switch self {
        case .creationDate, .releaseDate, .broadcastDate: .date
        case .title, .subtitle, .artist, .albumArtist, .albumTitle, .composer, .seriesTitle, .studio, .locationName,
            .bookTitle, .chapterTitle:
            .text
        case .discNumber, .trackNumber, .seasonNumber, .episodeNumber, .width, .height, .chapterNumber, .queueItemID:
            .whole
        case .locationLatitude, .locationLongitude, .sectionDuration, .sectionStartTimeInContainer,
            .sectionStartTimeInMedia, .sectionStartAbsoluteTime:
            .number
        }
    }

    /// True when the key belongs to this kind of metadata; to an app's own kinds every key belongs.
    public func isValid(in type: MediaMetadataType) -> Bool {
        guard (0...5).contains(type.rawValue) else { return true }
        return switch self {
        case .title, .sectionDuration, .sectionStartTimeInContainer, .sectionStartTimeInMedia,
            .sectionStartAbsoluteTime, .queueItemID:
            true
        case .releaseDate: [.generic, .movie, .tvShow, .musicTrack].contains(type)
        case .subtitle: [.generic, .movie, .audiobookChapter].contains(type)
        case .artist: [.generic, .musicTrack, .photo].contains(type)
        case .studio: type == .movie
        case .broadcastDate, .seasonNumber, .episodeNumber, .seriesTitle: type == .tvShow
        case .albumArtist, .albumTitle, .composer, .discNumber, .trackNumber: type == .musicTrack
        case .creationDate, .width, .height, .locationName, .locationLatitude, .locationLongitude: type == .photo
        case .bookTitle, .chapterNumber, .chapterTitle: type == .audiobookChapter
        }
    }

    /// True when a value is of the key's kind.
    public func accepts(_ value: JSONValue) -> Bool {
        switch self.valueKind {
        case .text: value.stringValue != nil
        case .whole: value.intValue != nil
        case .number: value.doubleValue.map(\.isFinite) ?? false
        case .date: value.stringValue.map(Self.isDate) ?? false
        }
    }

    /// `2014`, `2014-07-28`, `20140728`, with a time behind a `T`: what the SDKs write and read.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count <= 2, let day = parts.first else { return false }
        let digits = day.filter { $0 != "-" }
        guard [4, 6, 8].contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return false }
        guard parts.count == 2, let time = parts.last else { return parts.count == 1 }
        return !time.isEmpty && time.allSatisfy { $0.isASCII && ($0.isNumber || ":.+-Z".contains($0)) }
    }
}
