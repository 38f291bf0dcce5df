import CastWire
import NIOCore
import SystemPrimitives

extension SimulatedPlayer {
    /// The loaded media and their position, so that another player can go on with them.
    func record(at now: NIODeadline) -> JSONObject {
        var record: JSONObject = [
            "volume": .object(self.volume.json), "nextItem": .number(self.seed.nextItemID),
            "nextSession": .number(self.nextMediaSessionID),
        ]
        guard let session, session.ending == nil else { return record }
        var kept: JSONObject = [
            "id": .number(session.id), "queue": .object(session.queue.record), "rate": .number(session.clock.rate),
            "plays": .bool(session.wantsPlay), "tracks": .array(session.activeTrackIDs.map { .number($0) }),
        ]
        kept["queueData"] = session.queueData.map { .object($0.json) }
        let position = session.isLoading ? session.requestedStart : session.position(at: now)
        // The window of a live stream is another one then.
        if !session.media.isLive { kept["position"] = position.flatMap { $0.isFinite ? .number($0) : nil } }
        record["session"] = .object(kept)
        return record
    }

    /// Goes on with what another player had loaded, from where it stood. Nothing is loaded when that cannot be read, or would fail.
    mutating func restore(_ record: JSONObject, at now: NIODeadline) {
        if let volume = record.object("volume") {
            let kept = MediaVolume(json: volume)
            if let level = kept.level, level.isFinite { self.volume.level = min(max(level, 0), 1) }
            if let isMuted = kept.isMuted { self.volume.isMuted = isMuted }
        }
        self.seed.nextItemID = max(self.seed.nextItemID, record.int("nextItem") ?? 1)
        self.nextMediaSessionID = max(self.nextMediaSessionID, record.int("nextSession") ?? 1)
        guard let kept = record.object("session"), let id = kept.int("id"),
            let queue = kept.object("queue").flatMap({ PlayerQueue(record: $0, seed: self.seed) }),
            let item = queue.current?.item
        else { return }
        var session = PlayerSession(
            id: id, setup: self.setup, queue: queue, queueData: kept.object("queueData").map { QueueData(json: $0) },
            rate: kept.double("rate") ?? 1, at: now)
        session.wantsPlay = kept.bool("plays") ?? false
        session.media = ResolvedMedia(
            item.media ?? MediaInformation(), defaultDuration: self.setup.options.defaultDuration.inSeconds)
        session.failure = session.foreseeableFailure
        guard session.failure?.stage != .load else { return }
        session.breaks = PlannedBreak.plan(session.media.information)
        session.activeTrackIDs = session.known(kept.array("tracks")?.compactMap(\.intValue) ?? [])
        session.joinLive(at: now)
        let position = kept.double("position") ?? session.live?.entry(at: now) ?? 0
        session.clock.move(to: session.reachable(position, at: now), at: now)
        session.settle(at: now)
        self.session = session
    }
}

extension PlayerQueue {
    /// The queue with all that moves its items.
    fileprivate var record: JSONObject {
        [
            "items": .array(self.entries.map { .object($0.item.json) }), "index": .number(self.index),
            "repeat": .string(self.repeatMode.rawValue), "sequence": .number(self.sequenceNumber),
            "order": .array(self.unshuffledIDs.map { .number($0) }), "isShuffled": .bool(self.isShuffled),
        ]
    }
}
