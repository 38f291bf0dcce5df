/// What to show of a medium (protocol notes, 6.6). Custom keys stay in ``json``.
public struct MediaMetadata: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The kind.
        public static let metadataType = Field<MediaMetadataType>("metadataType")
        /// The title.
        public static let title = Field<String>("title")
        /// The second line.
        public static let subtitle = Field<String>("subtitle")
        /// Who plays.
        public static let artist = Field<String>("artist")
        /// The album.
        public static let albumName = Field<String>("albumName")
        /// Whose album it is.
        public static let albumArtist = Field<String>("albumArtist")
        /// Who wrote it.
        public static let composer = Field<String>("composer")
        /// The name of the piece.
        public static let songName = Field<String>("songName")
        /// The number on the disc.
        public static let trackNumber = Field<Int>("trackNumber")
        /// The disc.
        public static let discNumber = Field<Int>("discNumber")
        /// Who made it.
        public static let studio = Field<String>("studio")
        /// The series.
        public static let seriesTitle = Field<String>("seriesTitle")
        /// The season.
        public static let season = Field<Int>("season")
        /// The episode.
        public static let episode = Field<Int>("episode")
        /// ISO 8601.
        public static let releaseDate = Field<String>("releaseDate")
        /// ISO 8601.
        public static let originalAirdate = Field<String>("originalAirdate")
        /// ISO 8601.
        public static let creationDateTime = Field<String>("creationDateTime")
        /// Where a photo was made.
        public static let location = Field<String>("location")
        /// Degrees north.
        public static let latitude = Field<Double>("latitude")
        /// Degrees east.
        public static let longitude = Field<Double>("longitude")
        /// Pixels.
        public static let width = Field<Int>("width")
        /// Pixels.
        public static let height = Field<Int>("height")
        /// The book.
        public static let bookTitle = Field<String>("bookTitle")
        /// The chapter.
        public static let chapterTitle = Field<String>("chapterTitle")
        /// The number of the chapter.
        public static let chapterNumber = Field<Int>("chapterNumber")
        /// The queue item that it belongs to.
        public static let queueItemID = Field<Int>("queueItemId")
        /// The length of the section.
        public static let sectionDuration = Field<Double>("sectionDuration")
        /// Where the section starts.
        public static let sectionStartTimeInMedia = Field<Double>("sectionStartTimeInMedia")
        /// Where a section begins in its container, in seconds.
        public static let sectionStartTimeInContainer = Field<Double>("sectionStartTimeInContainer")
        /// When a section of a live stream begins, in seconds since 1970.
        public static let sectionStartAbsoluteTime = Field<Double>("sectionStartAbsoluteTime")
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
        set { self[Field<[MediaImage]>("images")] = newValue.isEmpty ? nil : newValue }
    }
}

/// Reading and writing by key, and what the SDKs check before they send (protocol notes, 6.6).
extension MediaMetadata {
    /// A predefined key whose value is of another kind.
    public struct WrongValue: Error, Hashable, Sendable, CustomStringConvertible {
        /// The key.
        public let key: MetadataKey

        /// One sentence without a full stop.
        public var description: String {
            let kind =
                switch self.key.valueKind {
                case .text: "text"
                case .whole: "a whole number"
                case .number: "a number"
                case .date: "a date as in ISO 8601"
                }
            return "the metadata \(self.key.rawValue) is not \(kind)"
        }
    }

    /// Starts with a kind and nothing else.
    public init(_ type: MediaMetadataType) {
        self.init()
        self.metadataType = type
    }

    /// The names of everything that is there, the app's own too; neither the kind nor the pictures.
    public var keys: [String] {
        self.json.members.map(\.name).filter { $0 != "metadataType" && $0 != "type" && $0 != "images" }
    }

    /// True when there is a value.
    public func contains(_ key: MetadataKey) -> Bool { (self.json[key.rawValue] ?? .null) != .null }

    /// The value of a predefined key.
    public subscript(key: MetadataKey) -> JSONValue? {
        get { self.json[key.rawValue] }
        set { self.json[key.rawValue] = newValue }
    }

    /// The text, or the date as text, under a key; nil when absent or of another kind.
    public func text(_ key: MetadataKey) -> String? { self.json.string(key.rawValue) }

    /// The whole number under a key, or the default.
    public func whole(_ key: MetadataKey, default value: Int = 0) -> Int { self[Field<Int>(key.rawValue)] ?? value }

    /// The number under a key, or the default.
    public func number(_ key: MetadataKey, default value: Double = 0) -> Double {
        self[Field<Double>(key.rawValue)] ?? value
    }

    /// Adds a picture behind the others; the first one is the one that most senders show.
    public mutating func add(_ image: MediaImage) {
        self.images.append(image)
    }

    /// The metadata as the SDKs would send it: with a kind, and without the predefined keys that do not belong to it.
    ///
    /// Keys of the app's own are kept. Deprecated spellings count as the app's own.
    /// - Throws: ``WrongValue`` for a predefined key of the kind whose value is of another kind.
    public func checked() throws(WrongValue) -> MediaMetadata {
        let type = self.metadataType ?? .generic
        var checked = self
        if self.json["metadataType"]?.intValue == nil { checked.metadataType = type }
        for key in MetadataKey.allCases {
            guard let value = self[key] else { continue }
            if value == .null || !key.isValid(in: type) {
                checked[key] = nil
            } else if !key.accepts(value) {
                throw WrongValue(key: key)
            }
        }
        return checked
    }
}

/// The kind of metadata (protocol notes, 6.6); apps use 100 and above.
public struct MediaMetadataType: RawRepresentable, Hashable, Sendable, FieldValue {
    /// The value as it stands on the wire.
    public let rawValue: Int

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Anything.
    public static let generic = MediaMetadataType(rawValue: 0)
    /// A film.
    public static let movie = MediaMetadataType(rawValue: 1)
    /// An episode.
    public static let tvShow = MediaMetadataType(rawValue: 2)
    /// A piece of music.
    public static let musicTrack = MediaMetadataType(rawValue: 3)
    /// A photo.
    public static let photo = MediaMetadataType(rawValue: 4)
    /// A chapter.
    public static let audiobookChapter = MediaMetadataType(rawValue: 5)

    /// The first of the kinds that apps define.
    public static let firstOfApps = 100
}

/// A picture of a medium (protocol notes, 6.6).
public struct MediaImage: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its address.
        public static let url = Field<String>("url")
        /// Pixels.
        public static let width = Field<Int>("width")
        /// Pixels.
        public static let height = Field<Int>("height")
    }
}
