public import CastWire
public import NIOCore

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
