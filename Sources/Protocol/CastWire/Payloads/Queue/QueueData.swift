/// A queue as a whole (protocol notes, 6.8).
public struct QueueData: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its id.
        public static let id = Field<String>("id")
        /// Its name.
        public static let name = Field<String>("name")
        /// Its description.
        public static let summary = Field<String>("description")
        /// A deep link.
        public static let entity = Field<String>("entity")
        /// What it is.
        public static let queueType = Field<QueueType>("queueType")
        /// What follows the end of an item.
        public static let repeatMode = Field<RepeatMode>("repeatMode")
        /// Whether it is mixed.
        public static let isShuffled = Field<Bool>("shuffle")
        /// Its items.
        public static let items = Field<[QueueItem]>("items")
        /// Which item plays first, from 0.
        public static let startIndex = Field<Int>("startIndex")
        /// Where that item starts.
        public static let startTime = Field<Double>("startTime")
        /// What holds the items.
        public static let containerMetadata = Field<ContainerMetadata>("containerMetadata")
    }
}

/// What a queue is (protocol notes, 6.8).
public struct QueueType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An album.
    public static let album = QueueType(rawValue: "ALBUM")
    /// A list of music.
    public static let playlist = QueueType(rawValue: "PLAYLIST")
    /// A book.
    public static let audiobook = QueueType(rawValue: "AUDIOBOOK")
    /// A station.
    public static let radioStation = QueueType(rawValue: "RADIO_STATION")
    /// A podcast.
    public static let podcastSeries = QueueType(rawValue: "PODCAST_SERIES")
    /// A series.
    public static let tvSeries = QueueType(rawValue: "TV_SERIES")
    /// A list of videos.
    public static let videoPlaylist = QueueType(rawValue: "VIDEO_PLAYLIST")
    /// Television.
    public static let liveTV = QueueType(rawValue: "LIVE_TV")
    /// A film.
    public static let movie = QueueType(rawValue: "MOVIE")
}

/// What follows the end of an item (protocol notes, 6.3).
public struct RepeatMode: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The next item; nothing after the last.
    public static let off = RepeatMode(rawValue: "REPEAT_OFF")
    /// The next item; the first after the last.
    public static let all = RepeatMode(rawValue: "REPEAT_ALL")
    /// The same item.
    public static let single = RepeatMode(rawValue: "REPEAT_SINGLE")
    /// The next item; after the last the queue is mixed and starts again.
    public static let allAndShuffle = RepeatMode(rawValue: "REPEAT_ALL_AND_SHUFFLE")

    /// True for the modes of the protocol.
    public var isKnown: Bool { [.off, .all, .single, .allAndShuffle].contains(self) }
    /// True when the queue starts again after its last item.
    public var wraps: Bool { self == .all || self == .allAndShuffle }
}

/// What holds the items of a queue, such as an audiobook (protocol notes, 6.8).
public struct ContainerMetadata: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// What it is.
        public static let containerType = Field<ContainerType>("containerType")
        /// Its title.
        public static let title = Field<String>("title")
        /// Its length in seconds.
        public static let duration = Field<Double>("containerDuration")
        /// Pictures.
        public static let images = Field<[MediaImage]>("containerImages")
        /// Its parts, such as chapters.
        public static let sections = Field<[MediaMetadata]>("sections")
        /// Who wrote an audiobook.
        public static let authors = Field<[String]>("authors")
        /// Who reads an audiobook.
        public static let narrators = Field<[String]>("narrators")
        /// Who published an audiobook.
        public static let publisher = Field<String>("publisher")
        /// When an audiobook came out, ISO 8601.
        public static let releaseDate = Field<String>("releaseDate")
    }
}

/// What holds the items of a queue (protocol notes, 6.8).
public struct ContainerType: RawRepresentable, Hashable, Sendable, FieldValue {
    /// The value as it stands on the wire.
    public let rawValue: Int

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Anything.
    public static let generic = ContainerType(rawValue: 0)
    /// An audiobook.
    public static let audiobook = ContainerType(rawValue: 1)
}
