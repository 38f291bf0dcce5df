import CastWire

/// The plan of a load, in whichever of its forms it came.
struct LoadPlan {
    var items: [QueueItem]
    var startIndex = 0
    /// The start of the first item; nil is as the item says.
    var startTime: Double?
    /// True if the first item plays at once; nil is as the item says.
    var autoplay: Bool?
    var rate: Double?
    var activeTrackIDs: [Int]?
    var repeatMode: RepeatMode = .off
    /// The queue's own fields, without its items.
    var queueData: QueueData?

    /// Reads LOAD, LOAD_BY_ENTITY, QUEUE_LOAD or RESUME_SESSION.
    init(_ request: PlayerRequest) throws(PlayerRefusal) {
        switch request.type {
        case .queueLoad?: try self.init(queueLoad: request)
        case .loadByEntity?: try self.init(entity: request)
        case .resumeSession?:
            guard let load = request.message.sessionState?.loadRequestData else { throw .invalidParameters }
            try self.init(load)
        default: try self.init(LoadRequest(json: request.message.json))
        }
    }

    private init(_ load: LoadRequest) throws(PlayerRefusal) {
        let queueData = load.queueData
        var items = queueData?.items ?? []
        if items.isEmpty {
            var media = load.media ?? MediaInformation()
            if !media.names, let entity = queueData?.entity { media.entity = entity }
            var item = QueueItem()
            item.media = media
            item.autoplay = load.autoplay ?? true
            items = [item]
        } else {
            self.startIndex = queueData?.startIndex ?? 0
        }
        if let media = load.media, items.indices.contains(self.startIndex), items[self.startIndex].media == nil {
            items[self.startIndex].media = media
        }
        self.items = items
        self.startTime = load.currentTime ?? queueData?.startTime
        self.autoplay = load.autoplay
        self.rate = load.playbackRate
        self.activeTrackIDs = load.activeTrackIDs
        self.repeatMode = Self.known(queueData?.repeatMode ?? load.repeatMode)
        self.queueData = queueData
        self.queueData?.items = nil
        try self.check()
    }

    private init(queueLoad request: PlayerRequest) throws(PlayerRefusal) {
        self.items = request.message.items ?? []
        self.startIndex = try request.checked("startIndex", request.message.startIndex) ?? 0
        self.startTime = request.message.currentTime
        self.repeatMode = Self.known(request.message.repeatMode)
        try self.check()
    }

    private init(entity request: PlayerRequest) throws(PlayerRefusal) {
        guard let entity = request.message.entity, !entity.isEmpty else { throw .invalidParameters }
        var media = MediaInformation()
        media.contentID = entity
        media.entity = entity
        var item = QueueItem()
        item.media = media
        self.items = [item]
    }

    /// Takes over the queue that a provider has made of the load.
    mutating func take(_ items: [QueueItem], of answer: JSONObject) {
        var data = QueueData(json: answer)
        let index = data.startIndex ?? 0
        guard items.indices.contains(index) else { return }
        self.items = items
        self.startIndex = index
        self.repeatMode = Self.known(data.repeatMode)
        data.json["items"] = nil
        self.queueData = data
    }

    private func check() throws(PlayerRefusal) {
        guard self.items.indices.contains(self.startIndex), self.items.allSatisfy({ $0.media?.names == true }),
            PlayerQueue().hasRoom(for: self.items)
        else { throw .invalidParameters }
    }

    private static func known(_ mode: RepeatMode?) -> RepeatMode {
        guard let mode, mode.isKnown else { return .off }
        return mode
    }
}

/// A medium as the player reports it: what the sender gave, and what a receiver adds (protocol notes, 6.5 and 6.6).
///
/// A live stream with a length is a file that a sender took for live, as pychromecast does by default: it has a
/// duration, can be sought from start to end, and ends.
struct ResolvedMedia {
    var information: MediaInformation
    /// Seconds; nil for live streams and pictures.
    let duration: Double?
    let isLive: Bool

    init(_ given: MediaInformation, defaultDuration: Double) {
        var media = given
        let streamType = given.streamType
        if given.json["contentId"]?.stringValue == nil, let url = given.contentURL { media.contentID = url }
        if given.json.string("streamType") == nil { media.streamType = .buffered }
        let category = given.mediaCategory ?? given.guessedCategory
        media.mediaCategory = category
        let known = given.duration.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        switch (known, streamType, category) {
        case (.some, _, _): self.duration = known
        case (nil, .live, _), (nil, _, .image): self.duration = nil
        case (nil, _, _): self.duration = defaultDuration
        }
        media.duration = self.duration
        if var metadata = media.metadata, metadata.json["type"] == nil, let type = metadata.json["metadataType"] {
            metadata.json["type"] = type
            media.metadata = metadata
        }
        self.isLive = streamType == .live && known == nil
        self.information = media
    }
}

extension MediaInformation {
    /// True when there is something to load.
    var names: Bool {
        [self.json.string("contentId"), self.contentURL, self.entity].contains { $0?.isEmpty == false }
    }

    /// True for HLS, DASH and Smooth Streaming, by type or address.
    var hasManifest: Bool {
        let type = self.contentType?.lowercased() ?? ""
        if ["mpegurl", "dash+xml", "sstr+xml"].contains(where: { type.contains($0) }) { return true }
        let path = self.path
        return [".m3u8", ".mpd", ".ism/manifest"].contains { path.hasSuffix($0) }
    }

    /// True when a media element rejects it: an address that it cannot fetch, or text (protocol notes, quirk 22).
    var isRejectedBySource: Bool {
        if let type = self.contentType?.lowercased(), type.hasPrefix("text/") { return true }
        guard self.entity == nil, let url = self.playableURL?.lowercased() else { return false }
        guard let colon = url.firstRange(of: "://") else { return false }
        return !["http", "https", "data", "blob", "filesystem"].contains(String(url[..<colon.lowerBound]))
    }

    /// True for the path of a file on the sender's own disk: `C:\film.mp4`, `/home/film.mp4`, `~/film.mp4`, `file:/film.mp4`. Apps
    /// may call their media so; a media element finds nothing there.
    var isLocalPath: Bool {
        guard self.entity == nil, let url = self.playableURL?.lowercased() else { return false }
        if url.hasPrefix("//") { return false }
        if ["/", "\\", "~/", "./", "../", "file:"].contains(where: { url.hasPrefix($0) }) { return true }
        let drive = Array(url.utf8.prefix(3))
        return drive.count == 3 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(drive[0])
            && drive[1] == UInt8(ascii: ":") && "/\\".utf8.contains(drive[2])
    }

    fileprivate var guessedCategory: MediaCategory {
        let type = self.contentType?.lowercased() ?? ""
        if type.hasPrefix("audio/") && !self.hasManifest { return .audio }
        if type.hasPrefix("image/") { return .image }
        guard type.isEmpty else { return .video }
        let path = self.path
        if [".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp"].contains(where: { path.hasSuffix($0) }) { return .image }
        let sounds = [".mp3", ".m4a", ".aac", ".flac", ".oga", ".ogg", ".opus", ".wav"]
        return sounds.contains { path.hasSuffix($0) } ? .audio : .video
    }

    /// The address without query and fragment, in small letters.
    private var path: String {
        let url = self.playableURL?.lowercased() ?? ""
        return String(url.prefix { $0 != "?" && $0 != "#" })
    }
}
