import CastWire
import NIOCore

extension PlayerSession {
    /// The picture of what plays; nothing is decoded, so it is the usual one.
    private static let videoInfo: VideoInfo = {
        var info = VideoInfo()
        info.width = 1920
        info.height = 1080
        info.hdrType = .standard
        return info
    }()

    func status(at now: NIODeadline, volume: MediaVolume) -> MediaStatus {
        var status = MediaStatus()
        let isIdle = self.ending != nil || self.isLoading
        status.mediaSessionID = self.id
        status.playbackRate = self.clock.rate
        status.playerState = self.playerState
        status.currentTime = isIdle ? 0 : self.position(at: now)
        status.supportedMediaCommands = self.setup.options.offered(self.commands(at: now))
        status.volume = volume
        status.activeTrackIDs = self.activeTrackIDs
        status.currentItemID = self.queue.current?.id
        status.repeatMode = self.queue.repeatMode
        if let ending = self.ending {
            status.idleReason = ending
            return status
        }
        status.media = self.media.information
        status.items = self.queue.neighbours(self.setup.statusLimit).map(\.item)
        status.queueData = self.currentQueueData
        status.preloadedItemID = self.preloadedItemID
        if self.isLoading {
            status.loadingItemID = self.queue.current?.id
            status.idleReason = self.previousItemEnd
            var extended = ExtendedMediaStatus()
            extended.playerState = .loading
            extended.media = self.media.information
            extended.mediaSessionID = self.id
            status.extendedStatus = extended
        } else {
            if self.media.information.mediaCategory == .video { status.videoInfo = Self.videoInfo }
            status.liveSeekableRange = self.live?.range(at: now)
            status.breakStatus = self.adBreak?.status(at: now)
        }
        return status
    }

    /// The commands that the player can carry out now (protocol notes, 6.4).
    private func commands(at now: NIODeadline) -> SupportedMediaCommands {
        if self.isLoading, self.ending == nil { return .basic }
        var commands: SupportedMediaCommands = .defaultReceiver
        guard self.ending == nil else { return commands }
        if self.queue.count > 1 {
            if self.queue.index(jumping: 1) != nil { commands.insert(.queueNext) }
            if self.queue.index(jumping: -1) != nil { commands.insert(.queuePrevious) }
        }
        if let adBreak = self.adBreak {
            commands.remove(.seek)
            if adBreak.isSkippable(at: now) { commands.insert(.skipAd) }
        } else if self.live == nil, self.media.duration == nil {
            commands.remove(.seek)
        }
        return commands
    }

    /// The queue's own fields, as they are now; nil when it was loaded without.
    private var currentQueueData: QueueData? {
        guard var data = self.queueData else { return nil }
        data.repeatMode = self.queue.repeatMode
        data.isShuffled = self.queue.isShuffled
        data.startIndex = self.queue.index
        return data
    }
}

/// The limits of messages, and what a status leaves out to keep to them.
enum StatusBudget {
    /// Messages to all. VLC gives up a connection on frames above about 10 KiB (protocol notes, 10).
    static let broadcast = 9_900
    /// Messages to one sender: what fits into a frame with the ends' names.
    static let message = 60_000

    /// The limit of an answer to this sender.
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
