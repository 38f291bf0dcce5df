public import CastWire
public import NIOCore

/// What a media client knows at one moment: the merged status, and when it was told.
///
/// Positions are computed, never asked for: give the present instant of the same clock.
public struct MediaSnapshot: Hashable, Sendable {
    /// The app that is connected, if any.
    public internal(set) var app: ReceiverApplication?
    /// True while an app with the media namespace is connected.
    public internal(set) var isAvailable = false
    /// The receiver's status with everything that it left out as unchanged; nil without a media session.
    public internal(set) var status: MediaStatus?
    /// When the status came; nil before the first one.
    public internal(set) var updatedAt: NIODeadline?
    /// How the last media session ended; survives the connection.
    public internal(set) var lastKnown: LastKnownMedia?
    /// The player's state without the idle moments between two items.
    public internal(set) var settledState = MediaPlayerState.unknown

    /// Knows nothing.
    public init() {}

    /// What is loaded, or is about to be.
    public var media: MediaInformation? { self.status?.media ?? self.status?.extendedStatus?.media }
    /// The media session; nil when nothing is loaded.
    public var mediaSessionID: Int? { self.status?.mediaSessionID ?? self.status?.extendedStatus?.mediaSessionID }
    /// What the player does.
    public var playerState: MediaPlayerState { MediaPlayerState(self.status) }
    /// Why the player is idle; nil in any other state.
    public var idleReason: IdleReason? { self.playerState == .idle ? self.status?.idleReason : nil }
    /// How fast it plays; 1 is normal.
    public var playbackRate: Double { self.status?.playbackRate ?? 1 }
    /// The stream's own volume, which is not the device's.
    public var streamVolume: MediaVolume? { self.status?.volume }
    /// The picture, when the receiver tells.
    public var videoInfo: VideoInfo? { self.status?.videoInfo }
    /// True while there is a media session that is not over.
    public var hasMediaSession: Bool { self.mediaSessionID != nil && self.playerState != .idle }

    /// True when the medium is a live stream that goes on.
    public var isLive: Bool {
        guard let media else { return false }
        if self.status?.liveSeekableRange?.isLiveDone == true { return false }
        return media.streamType == .live
    }

    /// True when the receiver says that it can do all of this.
    public func supports(_ commands: SupportedMediaCommands) -> Bool {
        self.status?.supportedMediaCommands.isSuperset(of: commands) ?? false
    }

    /// Seconds since the receiver last told of the status; nil before the first time.
    public func timeSinceUpdate(at now: NIODeadline) -> Double? {
        self.updatedAt.map { Double((now - $0).nanoseconds) / 1e9 }
    }
}

/// Where playback is by now, as far as the last status tells.
extension MediaSnapshot {
    /// Seconds of the media that have been played by now: the status' time plus what has passed since, at the rate of
    /// playback; never before the start nor behind the end, and within what can be reached of a live stream. 0 without media.
    public func position(at now: NIODeadline) -> Double {
        guard let status, let told = status.currentTime, told.isFinite else { return 0 }
        var position = told
        if self.playerState == .playing, self.currentBreak == nil {
            let advanced = told + self.elapsed(until: now) * self.playbackRate
            if advanced.isFinite { position = advanced }
        }
        if let range = self.liveSeekableRange(at: now), let start = range.start, let end = range.end, start <= end,
            start.isFinite, end.isFinite
        {
            return min(max(position, start), end)
        }
        if let duration = self.media?.duration, duration > 0, duration.isFinite { position = min(position, duration) }
        return max(position, 0)
    }

    /// What can be reached of a live stream by now; nil without.
    ///
    /// The end of a stream that goes on moves with time, and its start too when it is a moving window.
    public func liveSeekableRange(at now: NIODeadline) -> LiveSeekableRange? {
        guard var range = self.status?.liveSeekableRange else { return nil }
        guard range.isLiveDone != true else { return range }
        let elapsed = self.elapsed(until: now)
        range.end = range.end.map { $0 + elapsed }
        if range.isMovingWindow == true { range.start = range.start.map { $0 + elapsed } }
        return range
    }

    /// Seconds behind the live edge; nil when the medium is no live stream with a known range.
    public func behindLiveEdge(at now: NIODeadline) -> Double? {
        guard self.isLive, let end = self.liveSeekableRange(at: now)?.end else { return nil }
        return max(end - self.position(at: now), 0)
    }

    /// The break that plays; nil while the medium itself does.
    public var currentBreak: BreakStatus? {
        guard let breakStatus = self.status?.breakStatus,
            breakStatus.breakID != nil || breakStatus.breakClipID != nil
        else { return nil }
        return breakStatus
    }

    /// The clip of the break that plays.
    public var currentBreakClip: BreakClip? {
        guard let id = self.currentBreak?.breakClipID else { return nil }
        return self.media?.breakClips?.first { $0.id == id }
    }

    /// Seconds of the break's clip that have been played by now; nil outside of breaks.
    public func breakClipPosition(at now: NIODeadline) -> Double? {
        guard let told = self.currentBreak?.currentBreakClipTime else { return nil }
        let position = self.playerState == .playing ? told + self.elapsed(until: now) : told
        return self.currentBreakClip?.duration.map { min(position, max($0, 0)) } ?? position
    }

    /// Whether the break's clip may be skipped by now: the receiver says so, or its clip's time has come.
    public func canSkipAd(at now: NIODeadline) -> Bool {
        guard let current = self.currentBreak else { return false }
        if self.supports(.skipAd) { return true }
        guard let time = current.whenSkippable ?? self.currentBreakClip?.whenSkippable, time >= 0 else { return false }
        return (self.breakClipPosition(at: now) ?? 0) >= time
    }

    private func elapsed(until now: NIODeadline) -> Double {
        max(self.timeSinceUpdate(at: now) ?? 0, 0)
    }
}

/// The queue as the status tells of it; ``MediaQueue`` knows all of it.
extension MediaSnapshot {
    /// The items that the status carries: mostly the current one and its neighbours.
    public var nearItems: [QueueItem] { self.status?.items ?? [] }
    /// The item that plays.
    public var currentItemID: Int? { self.status?.currentItemID }
    /// The item that is loading.
    public var loadingItemID: Int? { self.status?.loadingItemID }
    /// The item that is prepared as the next one.
    public var preloadedItemID: Int? { self.status?.preloadedItemID }
    /// The item that plays, when the status carries it.
    public var currentItem: QueueItem? { self.nearItems.first { $0.itemID == self.currentItemID } }
    /// The item that is loading, when the status carries it.
    public var loadingItem: QueueItem? {
        self.loadingItemID.flatMap { id in self.nearItems.first { $0.itemID == id } }
    }
    /// The item behind the current one, when the status carries it.
    public var nextItem: QueueItem? {
        guard let index = self.nearItems.firstIndex(where: { $0.itemID == self.currentItemID }) else { return nil }
        return self.nearItems.dropFirst(index + 1).first
    }
    /// What follows the end of an item; the queue's own word when the status has none.
    public var repeatMode: RepeatMode? { self.status?.repeatMode ?? self.status?.queueData?.repeatMode }
    /// True when there is a queue to append to.
    public var hasQueue: Bool { self.hasMediaSession && (self.currentItemID != nil || !self.nearItems.isEmpty) }
    /// True when the receiver can go to a next item.
    public var hasNextItem: Bool { self.supports(.queueNext) || self.nextItem != nil }
    /// True when the receiver can go to an item before this one.
    public var hasPreviousItem: Bool {
        self.supports(.queuePrevious)
            || (self.nearItems.firstIndex { $0.itemID == self.currentItemID }).map { $0 > 0 } ?? false
    }
}

/// The tracks of what is loaded.
extension MediaSnapshot {
    /// All tracks.
    public var tracks: [MediaTrack] { self.media?.tracks ?? [] }
    /// The ids of the active tracks.
    public var activeTrackIDs: [Int] { self.status?.activeTrackIDs ?? [] }
    /// The active tracks.
    public var activeTracks: [MediaTrack] {
        let active = Set(self.activeTrackIDs)
        return self.tracks.filter { $0.trackID.map(active.contains) ?? false }
    }
    /// How text is shown; nil when the receiver does not tell.
    public var textTrackStyle: TextTrackStyle? { self.media?.textTrackStyle }

    /// The tracks of a kind.
    public func tracks(_ type: MediaTrackType) -> [MediaTrack] { self.tracks.filter { $0.type == type } }

    /// The ids to activate so that of a kind only this track is active; nil switches the kind off.
    ///
    /// Tracks of other kinds stay as they are.
    public func trackIDs(choosing trackID: Int?, of type: MediaTrackType) -> [Int] {
        let ofKind = Set(self.tracks(type).compactMap(\.trackID))
        return self.activeTrackIDs.filter { !ofKind.contains($0) && $0 != trackID } + (trackID.map { [$0] } ?? [])
    }

    /// The track of a kind whose language fits best: the tag itself, then the same language of any region.
    public func track(_ type: MediaTrackType, language: String) -> MediaTrack? {
        let wanted = language.lowercased()
        let candidates = self.tracks(type).filter { $0.language != nil }
        let primary = wanted.prefix { $0 != "-" }
        return candidates.first { $0.language?.lowercased() == wanted }
            ?? candidates.first { ($0.language?.lowercased().prefix { $0 != "-" }) == primary }
    }
}

/// What a player does, as the SDKs tell it: with a state for loading, and one for not knowing.
public enum MediaPlayerState: String, Hashable, Sendable, CaseIterable {
    /// There is no status: nothing was loaded, or no app is connected.
    case unknown
    /// Nothing plays; ``MediaSnapshot/idleReason`` says why.
    case idle
    /// An item is loading.
    case loading
    /// It waits for data.
    case buffering
    /// It plays.
    case playing
    /// It is paused.
    case paused

    /// Reads a status (protocol notes, 6.3): `extendedStatus` tells of loading while the player is idle.
    public init(_ status: MediaStatus?) {
        guard let status else {
            self = .unknown
            return
        }
        self =
            switch status.playerState {
            case .idle: status.extendedStatus?.playerState == .loading ? .loading : .idle
            case .loading: .loading
            case .buffering: .buffering
            case .playing: .playing
            case .paused: .paused
            default: .unknown
            }
    }

    /// True while an item is there to be controlled.
    public var isActive: Bool { self != .unknown && self != .idle }
}

/// Where playback was when a media session ended, for a transfer that goes on elsewhere.
public struct LastKnownMedia: Hashable, Sendable {
    /// What was loaded.
    public let media: MediaInformation?
    /// Where it was, in seconds.
    public let position: Double
    /// What the player did before it ended.
    public let playerState: MediaPlayerState
    /// Why it ended; nil when the connection did.
    public let idleReason: IdleReason?
    /// The status before the end, as the receiver told it.
    public let status: MediaStatus
}
