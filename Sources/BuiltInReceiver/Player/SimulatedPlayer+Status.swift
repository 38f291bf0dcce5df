import CastWire
import NIOCore

extension SimulatedPlayer {
    /// What a GET_STATUS wants left out.
    private struct Omission: OptionSet {
        let rawValue: Int
        static let metadata = Omission(rawValue: 1)
        static let items = Omission(rawValue: 2)
    }

    /// The picture of what plays; nothing is decoded, so it is the usual one.
    private static let videoInfo: VideoInfo = {
        var info = VideoInfo()
        info.width = 1920
        info.height = 1080
        info.hdrType = .standard
        return info
    }()

    mutating func answerStatus(_ request: PlayerRequest, at now: NIODeadline) {
        var shown = self.session
        if let id = request.message.mediaSessionID, id != shown?.id { shown = nil }
        let omission = Omission(rawValue: request.message.options ?? 0)
        let limit = request.id == nil ? StatusBudget.broadcast : StatusBudget.reply(to: request.sender)
        let id = request.id ?? .spontaneous
        self.inform(request, self.message(shown, at: now, id: id, limit: limit, without: omission))
    }

    mutating func broadcastStatus(_ session: PlayerSession, at now: NIODeadline) {
        self.outbox.append(
            .broadcast(self.statusMessage(session, at: now, id: .spontaneous, limit: StatusBudget.broadcast)))
    }

    /// What is loaded, as one element of a MEDIA_STATUS; nil when nothing is.
    func currentStatus(at now: NIODeadline) -> JSONObject? {
        self.session.map { self.status($0, at: now).json }
    }

    /// A MEDIA_STATUS about a session, or about none.
    func statusMessage(_ session: PlayerSession?, at now: NIODeadline, id: RequestID, limit: Int) -> JSONObject {
        self.message(session, at: now, id: id, limit: limit, without: [])
    }

    private func message(
        _ session: PlayerSession?, at now: NIODeadline, id: RequestID, limit: Int, without omission: Omission
    ) -> JSONObject {
        var elements: [JSONValue] = []
        if let session {
            var status = self.status(session, at: now)
            if omission.contains(.items) { status.items = nil }
            if omission.contains(.metadata) {
                status.media?.metadata = nil
                status.extendedStatus?.media?.metadata = nil
                status.items = status.items?.map { item in
                    var item = item
                    item.media?.metadata = nil
                    return item
                }
            }
            elements.append(.object(StatusBudget.fit(status, into: limit, reserving: id.json.textLength).json))
        }
        return [
            "type": .string(MediaResponseType.mediaStatus.rawValue), "requestId": id.json, "status": .array(elements),
        ]
    }

    private func status(_ session: PlayerSession, at now: NIODeadline) -> MediaStatus {
        var status = MediaStatus()
        let isIdle = session.ending != nil || session.isLoading
        status.mediaSessionID = session.id
        status.playbackRate = session.clock.rate
        status.playerState = session.playerState
        status.currentTime = isIdle ? 0 : session.position(at: now)
        status.supportedMediaCommands = self.offered(self.commands(session, at: now))
        status.volume = self.volume
        status.activeTrackIDs = session.activeTrackIDs
        status.currentItemID = session.queue.current?.id
        status.repeatMode = session.queue.repeatMode
        if let ending = session.ending {
            status.idleReason = ending
            return status
        }
        status.media = session.media.information
        status.items = session.queue.neighbours(self.statusLimit).map(\.item)
        status.queueData = self.queueData(session)
        status.preloadedItemID = session.preloadedItemID
        if session.isLoading {
            status.loadingItemID = session.queue.current?.id
            status.idleReason = session.previousItemEnd
            var extended = ExtendedMediaStatus()
            extended.playerState = .loading
            extended.media = session.media.information
            extended.mediaSessionID = session.id
            status.extendedStatus = extended
        } else {
            if session.media.information.mediaCategory == .video { status.videoInfo = Self.videoInfo }
            status.liveSeekableRange = session.live?.range(at: now)
            status.breakStatus = session.adBreak?.status(at: now)
        }
        return status
    }

    /// What the player can do now (protocol notes, 6.4).
    private func commands(_ session: PlayerSession, at now: NIODeadline) -> SupportedMediaCommands {
        if session.isLoading, session.ending == nil { return .basic }
        var commands: SupportedMediaCommands = .defaultReceiver
        guard session.ending == nil else { return commands }
        if session.queue.count > 1 {
            if session.queue.index(jumping: 1) != nil { commands.insert(.queueNext) }
            if session.queue.index(jumping: -1) != nil { commands.insert(.queuePrevious) }
        }
        if let adBreak = session.adBreak {
            commands.remove(.seek)
            if adBreak.isSkippable(at: now) { commands.insert(.skipAd) }
        } else if session.live == nil, session.media.duration == nil {
            commands.remove(.seek)
        }
        return commands
    }

    /// The queue's own fields, as they are now; nil when it was loaded without.
    private func queueData(_ session: PlayerSession) -> QueueData? {
        guard var data = session.queueData else { return nil }
        data.repeatMode = session.queue.repeatMode
        data.isShuffled = session.queue.isShuffled
        data.startIndex = session.queue.index
        return data
    }
}

/// How long a message may be, and what a status leaves out to keep to it.
enum StatusBudget {
    /// Messages to all. VLC gives up a connection on frames above about 10 KiB (protocol notes, 10).
    static let broadcast = 9_900
    /// Messages to one sender: what fits into a frame with the ends' names.
    static let message = 60_000

    /// What an answer to this sender may have.
    static func reply(to sender: EndpointID) -> Int {
        sender.rawValue.hasPrefix("sender-vlc") ? Self.broadcast : Self.message
    }

    /// Leaves out, in this order and only while it is too long, what a sender can ask for again or miss; in the end,
    /// when no frame would hold it, the media itself. The reserve is what else the message carries, in bytes.
    static func fit(_ status: MediaStatus, into limit: Int, reserving reserve: Int = 0) -> MediaStatus {
        var status = status
        func fits(_ limit: Int) -> Bool { JSONValue.object(status.json).textLength + 100 + reserve <= limit }
        guard !fits(limit) else { return status }
        for shorten in Self.softSteps {
            shorten(&status)
            if fits(limit) { return status }
        }
        let hardLimit = max(limit, Self.message)
        for shorten in Self.hardSteps where !fits(hardLimit) { shorten(&status) }
        return status
    }

    private static let softSteps: [@Sendable (inout MediaStatus) -> Void] = [
        { $0.items = nil },
        { $0.extendedStatus?.media = nil },
        { $0.queueData?.containerMetadata = nil },
        { $0.media?.customData = nil },
    ]

    private static let hardSteps: [@Sendable (inout MediaStatus) -> Void] = [
        { $0.queueData = nil },
        { status in
            status.media?.breakClips = nil
            status.media?.breaks = nil
        },
        { $0.media?.metadata = nil },
        { status in
            status.media?.textTrackStyle = nil
            status.media?.tracks = nil
        },
        { $0.media = nil },
        { $0.breakStatus = nil },
        { $0.activeTrackIDs = [] },
    ]
}
