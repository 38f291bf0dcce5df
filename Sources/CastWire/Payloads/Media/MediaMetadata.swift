/// What to show of a medium (protocol notes, 6.6). Custom keys stay in ``json``.
public struct MediaMetadata: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The kind.
    public var metadataType: MediaMetadataType? {
        get { self[rawWhole: "metadataType"] }
        set { self[rawWhole: "metadataType"] = newValue }
    }

    /// The title.
    public var title: String? {
        get { self[text: "title"] }
        set { self[text: "title"] = newValue }
    }

    /// The second line.
    public var subtitle: String? {
        get { self[text: "subtitle"] }
        set { self[text: "subtitle"] = newValue }
    }

    /// Who plays.
    public var artist: String? {
        get { self[text: "artist"] }
        set { self[text: "artist"] = newValue }
    }

    /// The album.
    public var albumName: String? {
        get { self[text: "albumName"] }
        set { self[text: "albumName"] = newValue }
    }

    /// Whose album it is.
    public var albumArtist: String? {
        get { self[text: "albumArtist"] }
        set { self[text: "albumArtist"] = newValue }
    }

    /// Who wrote it.
    public var composer: String? {
        get { self[text: "composer"] }
        set { self[text: "composer"] = newValue }
    }

    /// The name of the piece.
    public var songName: String? {
        get { self[text: "songName"] }
        set { self[text: "songName"] = newValue }
    }

    /// The number on the disc.
    public var trackNumber: Int? {
        get { self[whole: "trackNumber"] }
        set { self[whole: "trackNumber"] = newValue }
    }

    /// The disc.
    public var discNumber: Int? {
        get { self[whole: "discNumber"] }
        set { self[whole: "discNumber"] = newValue }
    }

    /// Who made it.
    public var studio: String? {
        get { self[text: "studio"] }
        set { self[text: "studio"] = newValue }
    }

    /// The series.
    public var seriesTitle: String? {
        get { self[text: "seriesTitle"] }
        set { self[text: "seriesTitle"] = newValue }
    }

    /// The season.
    public var season: Int? {
        get { self[whole: "season"] }
        set { self[whole: "season"] = newValue }
    }

    /// The episode.
    public var episode: Int? {
        get { self[whole: "episode"] }
        set { self[whole: "episode"] = newValue }
    }

    /// ISO 8601.
    public var releaseDate: String? {
        get { self[text: "releaseDate"] }
        set { self[text: "releaseDate"] = newValue }
    }

    /// ISO 8601.
    public var originalAirdate: String? {
        get { self[text: "originalAirdate"] }
        set { self[text: "originalAirdate"] = newValue }
    }

    /// ISO 8601.
    public var creationDateTime: String? {
        get { self[text: "creationDateTime"] }
        set { self[text: "creationDateTime"] = newValue }
    }

    /// Where a photo was made.
    public var location: String? {
        get { self[text: "location"] }
        set { self[text: "location"] = newValue }
    }

    /// Degrees north.
    public var latitude: Double? {
        get { self[number: "latitude"] }
        set { self[number: "latitude"] = newValue }
    }

    /// Degrees east.
    public var longitude: Double? {
        get { self[number: "longitude"] }
        set { self[number: "longitude"] = newValue }
    }

    /// Pixels.
    public var width: Int? {
        get { self[whole: "width"] }
        set { self[whole: "width"] = newValue }
    }

    /// Pixels.
    public var height: Int? {
        get { self[whole: "height"] }
        set { self[whole: "height"] = newValue }
    }

    /// The book.
    public var bookTitle: String? {
        get { self[text: "bookTitle"] }
        set { self[text: "bookTitle"] = newValue }
    }

    /// The chapter.
    public var chapterTitle: String? {
        get { self[text: "chapterTitle"] }
        set { self[text: "chapterTitle"] = newValue }
    }

    /// The number of the chapter.
    public var chapterNumber: Int? {
        get { self[whole: "chapterNumber"] }
        set { self[whole: "chapterNumber"] = newValue }
    }

    /// The queue item that it belongs to.
    public var queueItemID: Int? {
        get { self[whole: "queueItemId"] }
        set { self[whole: "queueItemId"] = newValue }
    }

    /// The length of the section.
    public var sectionDuration: Double? {
        get { self[number: "sectionDuration"] }
        set { self[number: "sectionDuration"] = newValue }
    }

    /// Where the section starts.
    public var sectionStartTimeInMedia: Double? {
        get { self[number: "sectionStartTimeInMedia"] }
        set { self[number: "sectionStartTimeInMedia"] = newValue }
    }

    /// The pictures. Old senders give bare addresses instead of objects.
    public var images: [MediaImage] {
        get {
            (self.json.array("images") ?? []).compactMap { element in
                switch element {
                case .object(let object): MediaImage(json: object)
                case .string(let address): MediaImage(json: ["url": .string(address)])
                default: nil
                }
            }
        }
        set { self[payloads: "images"] = newValue.isEmpty ? nil : newValue }
    }

    /// Where a section begins in its container, in seconds.
    public var sectionStartTimeInContainer: Double? {
        get { self[number: "sectionStartTimeInContainer"] }
        set { self[number: "sectionStartTimeInContainer"] = newValue }
    }

    /// When a section of a live stream begins, in seconds since 1970.
    public var sectionStartAbsoluteTime: Double? {
        get { self[number: "sectionStartAbsoluteTime"] }
        set { self[number: "sectionStartAbsoluteTime"] = newValue }
    }
}
