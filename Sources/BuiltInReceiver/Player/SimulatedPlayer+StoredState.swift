import CastWire
import NIOCore

extension SimulatedPlayer {
    /// How long a stored load may be without its queue, in bytes: what fits into a frame with the ends' names and an id.
    private static let maximumStoredLoad = 64_000

    /// The answer to STORE_SESSION: a LOAD that goes on from here on another device (protocol notes, 8.5).
    ///
    /// Credentials are left out, because any sender of the app may ask. Of a queue that is too long for a message the
    /// items around the current one are kept, and of the queue's own fields only how it repeats when they leave no room.
    /// - Throws: `APP_ERROR` for media whose description alone is too long for a message.
    func storedState(_ session: PlayerSession, at now: NIODeadline) throws(PlayerRefusal) -> JSONObject {
        var load = LoadRequest()
        load.media = session.media.information
        load.autoplay = session.wantsPlay
        // A live stream has another window on the other device; it goes on at the edge.
        if !session.media.isLive {
            load.currentTime = session.isLoading ? session.requestedStart : session.position(at: now)
        }
        load.playbackRate = session.clock.rate
        load.activeTrackIDs = session.activeTrackIDs
        load.repeatMode = nil
        let size = JSONValue.object(load.json).textLength
        guard size <= Self.maximumStoredLoad else { throw .invalid(.appError) }
        load.queueData = self.storedQueue(session, room: StatusBudget.message - size - 1_000)
        var state = SessionState()
        state.loadRequestData = load
        return [
            "type": .string(MediaResponseType.sessionState.rawValue), "requestId": 0,
            "sessionState": .object(state.json),
        ]
    }

    private func storedQueue(_ session: PlayerSession, room: Int) -> QueueData {
        let queue = session.queue
        var data = session.queueData ?? QueueData()
        if JSONValue.object(data.json).textLength > room { data = QueueData() }
        data.repeatMode = queue.repeatMode
        data.isShuffled = queue.isShuffled
        data.startTime = nil
        data.startIndex = nil
        var rest = room - JSONValue.object(data.json).textLength
        var first = queue.index
        var behind = queue.index
        func take(_ position: Int) -> Bool {
            guard queue.entries.indices.contains(position) else { return false }
            rest -= queue.entries[position].size + 200
            return rest >= 0
        }
        while take(behind) { behind += 1 }
        if behind == queue.count {
            while take(first - 1) { first -= 1 }
        }
        guard first < behind else { return data }
        data.items = queue.entries[first..<behind].map { entry in
            var item = entry.item
            item.itemID = nil
            return item
        }
        data.startIndex = queue.index - first
        return data
    }
}
