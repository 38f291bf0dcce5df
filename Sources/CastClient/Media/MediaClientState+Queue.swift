import CastWire
import NIOCore

/// The queue that is followed.
extension MediaClientState {
    /// Keeps the ids of all items up to date from now on.
    mutating func followQueue(at now: NIODeadline) -> [Action] {
        guard !self.followsQueue else { return [] }
        self.followsQueue = true
        self.fetchQueueIDs(at: now)
        return self.takeActions()
    }

    /// Forgets what is known of the queue and asks for it anew.
    mutating func reloadQueue(at now: NIODeadline) -> [Action] {
        self.tellQueue(self.queue.clear())
        self.fetchQueueIDs(at: now)
        return self.takeActions()
    }

    /// Wishes for items by their places; several wishes become one request.
    mutating func wantQueueItems(_ indices: [Int], at now: NIODeadline) -> [Action] {
        if self.queue.want(indices) { self.scheduleFetch(at: now) }
        return self.takeActions()
    }

    mutating func queueBelongsToOtherSession(at now: NIODeadline) {
        self.tellQueue(self.queue.clear())
        if self.followsQueue { self.fetchQueueIDs(at: now) }
    }

    mutating func fetchQueueIDs(at now: NIODeadline) {
        guard self.phase == .attached, let session = self.snapshot.mediaSessionID else { return }
        let isAsking = self.tracker.tickets.contains { if case .queueIDs = $0 { true } else { false } }
        self.areQueueIDsOutdated = isAsking
        guard !isAsking else { return }
        var request = MediaRequest()
        request.type = .queueGetItemIDs
        request.mediaSessionID = session
        // An app that is asked too much is asked at the next change.
        try? self.send(request, for: .queueIDs, timeout: self.options.answerTimeout, at: now)
    }

    mutating func fetchWantedItems(at now: NIODeadline) {
        guard self.phase == .attached, let session = self.snapshot.mediaSessionID, self.queue.wantsItems else { return }
        let ids = self.queue.takeWanted(limit: self.options.queueFetchSize)
        var request = MediaRequest()
        request.type = .queueGetItems
        request.mediaSessionID = session
        request.itemIDs = ids
        try? self.send(request, for: .queueItems(ids), timeout: self.options.answerTimeout, at: now)
    }

    mutating func received(queueIDs json: JSONObject) {
        let reply = MediaRequest(json: json)
        guard let ids = reply.itemIDs else { return }
        self.tellQueue(self.queue.received(ids: ids, sequenceNumber: reply.sequenceNumber))
        if let items = self.snapshot.status?.items { self.tellQueue(self.queue.received(items: items)) }
    }

    mutating func received(_ change: QueueChange, at now: NIODeadline) {
        guard self.followsQueue else {
            // What is not followed must not be taken for complete.
            _ = self.queue.clear()
            return self.actions.append(.emit(.queue([.outdated])))
        }
        let (changes, needsIDs) = self.queue.received(change)
        self.tellQueue(changes)
        if needsIDs || self.queue.itemIDs == nil { self.fetchQueueIDs(at: now) }
        if self.queue.wantsItems { self.scheduleFetch(at: now) }
    }

    mutating func endFetch(of ids: [Int], _ outcome: RequestOutcome, at now: NIODeadline) {
        // Receivers send as many items as fit; as long as some come, the others are asked for again.
        if case .completed = outcome {
            let missing = ids.filter { self.queue.item(id: $0) == nil }
            if missing.count < ids.count { self.queue.wantAgain(missing) }
        }
        if self.queue.wantsItems { self.scheduleFetch(at: now) }
    }

    mutating func tellQueue(_ changes: [MediaQueueChange]) {
        if !changes.isEmpty { self.actions.append(.emit(.queue(changes))) }
    }

    private mutating func scheduleFetch(at now: NIODeadline) {
        let isAsking = self.tracker.tickets.contains { if case .queueItems = $0 { true } else { false } }
        guard self.queueFetchDue == nil, !isAsking else { return }
        self.queueFetchDue = now + TimeAmount(self.options.queueFetchDelay)
    }
}
