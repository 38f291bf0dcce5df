import CastWire

/// What a load asks for, in whichever of its forms it came.
struct LoadPlan {
    var items: [QueueItem]
    var startIndex = 0
    /// Where the first item starts; nil is as the item says.
    var startTime: Double?
    /// Whether the first item plays at once; nil is as the item says.
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
