import CastWire
import NIOCore

extension PlayerSession {
    /// The limit of a stored load without its queue, in bytes: what fits into a frame with the ends' names and an id.
    private static let maximumStoredLoad = 64_000

    /// The answer to STORE_SESSION: a LOAD that goes on from here on another device (protocol notes, 8.5).
    ///
    /// Credentials are left out, because any sender of the app may ask. Of a queue that is too long for a message the
    /// items around the current one are kept, and of the queue's own fields only how it repeats when they leave no room.
    /// - Throws: `APP_ERROR` for media whose description alone is too long for a message.
    func storedState(at now: NIODeadline) throws(PlayerRefusal) -> JSONObject {
        var load = LoadRequest()
        load.media = self.media.information
        load.autoplay = self.wantsPlay
        // A live stream has another window on the other device; it goes on at the edge.
        if !self.media.isLive {
            load.currentTime = self.isLoading ? self.requestedStart : self.position(at: now)
        }
        load.playbackRate = self.clock.rate
        load.activeTrackIDs = self.activeTrackIDs
        load.repeatMode = nil
        let size = JSONValue.object(load.json).textLength
        guard size <= Self.maximumStoredLoad else { throw .invalid(.appError) }
        load.queueData = self.storedQueue(room: StatusBudget.message - size - 1_000)
        var state = SessionState()
        state.loadRequestData = load
        return MediaResponseType.sessionState.message(.spontaneous, ["sessionState": .object(state.json)])
    }

    private func storedQueue(room: Int) -> QueueData {
        let queue = self.queue
        var data = self.queueData ?? QueueData()
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
