public import CastWire
public import NIOCore

/// What a device played at one moment, fit to be played again after an announcement.
public struct PlaybackSnapshot: Hashable, Sendable {
    /// What cannot be brought back, or perhaps not.
    public enum Limit: String, Hashable, Sendable, CaseIterable {
        /// Nothing played, so there is nothing to bring back but the volume.
        case nothingPlayed
        /// The app speaks no media protocol: it can be started again at most, from its beginning.
        case appWithoutMedia
        /// The media was never told, so it cannot be loaded again.
        case mediaUnknown
        /// Only the items round the current one are known.
        case queueIncomplete
        /// The order of a shuffled queue is lost.
        case shuffleOrderLost
        /// A live stream goes on meanwhile: what was missed may not be within reach any more.
        case liveStreamMovedOn
        /// What the app needs to play, such as tokens in its own data, may be used up.
        case appDataMayBeStale
        /// The media stood in a break: the break begins anew, or is not shown again.
        case breakLost
    }

    /// The app.
    public let appID: AppID?
    /// The device's volume.
    public let volume: ReceiverVolume?
    /// What to load, from where; nil when nothing can be loaded.
    public let state: SessionState?
    /// What the player did.
    public let playerState: MediaPlayerState
    /// What cannot be brought back, or perhaps not.
    public let limits: [Limit]

    /// Takes a snapshot of what is known.
    ///
    /// - Parameters:
    ///   - media: What the media client knows.
    ///   - queue: The queue; followed, it is complete.
    ///   - volume: The device's volume.
    ///   - now: The present instant of the client's clock.
    public init(_ media: MediaSnapshot, queue: MediaQueue, volume: ReceiverVolume?, at now: NIODeadline) {
        let state = SessionState(media, queue: queue, at: now)
        self.appID = media.app?.appID
        self.volume = volume
        self.state = state
        self.playerState = media.playerState
        self.limits = Self.limits(media, queue, state)
    }

    private static func limits(_ media: MediaSnapshot, _ queue: MediaQueue, _ state: SessionState?) -> [Limit] {
        guard media.app == nil || media.isAvailable else { return [.appWithoutMedia] }
        guard media.hasMediaSession else { return [.nothingPlayed] }
        guard let state else { return [.mediaUnknown] }
        var limits: [Limit] = []
        let known = state.loadRequestData?.queueData?.items?.count ?? 1
        if media.hasNextItem || media.hasPreviousItem || known > 1 || queue.count ?? 1 > 1, queue.count != known {
            limits.append(.queueIncomplete)
        }
        if media.status?.queueData?.isShuffled == true || media.repeatMode == .allAndShuffle {
            limits.append(.shuffleOrderLost)
        }
        if media.isLive { limits.append(.liveStreamMovedOn) }
        if media.media?.customData != nil || media.status?.customData != nil { limits.append(.appDataMayBeStale) }
        if media.currentBreak != nil { limits.append(.breakLost) }
        return limits
    }
}

extension SessionState {
    /// A state made of what is known of playback, for apps that describe none themselves (protocol notes, 8.5).
    ///
    /// Nil when nothing is loaded, or when the media was never told.
    public init?(_ snapshot: MediaSnapshot, queue: MediaQueue? = nil, at now: NIODeadline) {
        guard snapshot.hasMediaSession, let status = snapshot.status, let media = snapshot.media else { return nil }
        var load = LoadRequest()
        load.media = media
        load.currentTime = Self.start(of: snapshot, at: now)
        load.autoplay = snapshot.playerState != .paused
        load.playbackRate = status.playbackRate
        load.activeTrackIDs = status.activeTrackIDs
        load.queueData = Self.queueData(snapshot, queue)
        if load.queueData == nil { load.repeatMode = snapshot.repeatMode }
        load.customData = status.customData
        self.init()
        self.loadRequestData = load
    }

    /// At the live edge nothing is said, and the receiver begins there.
    private static func start(of snapshot: MediaSnapshot, at now: NIODeadline) -> Double? {
        if snapshot.isLive, (snapshot.behindLiveEdge(at: now) ?? 0) < 10 { return nil }
        return snapshot.position(at: now)
    }

    /// All items when they are known, else those of the status; nil for a single medium.
    private static func queueData(_ snapshot: MediaSnapshot, _ queue: MediaQueue?) -> QueueData? {
        let known = queue?.itemIDs?.map { queue?.item(id: $0) } ?? []
        let complete = known.compactMap(\.self)
        let items = !complete.isEmpty && complete.count == known.count ? complete : snapshot.nearItems
        guard items.count > 1 || snapshot.status?.queueData != nil else { return nil }
        var data = snapshot.status?.queueData ?? QueueData()
        guard !items.isEmpty else { return data }
        data.items = items.map(\.withoutID)
        data.startIndex = items.firstIndex { $0.itemID == snapshot.currentItemID } ?? 0
        data.repeatMode = snapshot.repeatMode ?? data.repeatMode
        return data
    }
}
