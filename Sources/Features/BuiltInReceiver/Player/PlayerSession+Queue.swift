import CastWire
import NIOCore

extension PlayerSession {
    /// QUEUE_NEXT, QUEUE_PREV and the `jump` of QUEUE_UPDATE.
    mutating func jump(_ distance: Int, startTime: Double? = nil, at now: NIODeadline) throws(PlayerRefusal) {
        guard let index = self.queue.index(jumping: distance) else { throw .invalid(.endOfQueue) }
        self.start(index, startTime: startTime, after: .interrupted, at: now)
    }

    mutating func insert(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        let message = request.message
        guard
            let items = self.queue.accepted(
                message.items ?? [], count: message.json.array("items")?.count ?? 0)
        else { throw .invalidParameters }
        let time = try request.checked("currentTime", message.currentTime)
        let index = try request.checked("currentItemIndex", message.currentItemIndex)
        let before = try request.checked("insertBefore", message.insertBefore)
        let id = try request.checked("currentItemId", message.currentItemID)
        if let index, !items.indices.contains(index) { throw .invalidParameters }
        // An item that is not there, such as the 0 of senders that mean none, appends.
        let place = before.flatMap { self.queue.position(of: $0) }
        let position = place ?? self.queue.count
        if index == nil, let id, self.queue.position(of: id) == nil { throw .invalidParameters }
        let ids = self.queue.insert(items, at: position)
        self.forgetPreload()
        if let index {
            self.start(position + index, startTime: time, after: .interrupted, at: now)
        } else {
            self.makeCurrent(id, startTime: time, at: now)
        }
        self.noteChange(.insert, ids, before: place == nil ? nil : before)
    }

    mutating func update(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        let message = request.message
        let time = try request.checked("currentTime", message.currentTime)
        let id = try request.checked("currentItemId", message.currentItemID)
        let distance = try request.checked("jump", message.jump)
        let mode = try request.checked("repeatMode", message.repeatMode)
        let items = try request.checked("items", message.items) ?? []
        if let mode, !mode.isKnown { throw .invalidParameters }
        var queue = self.queue
        if let id {
            guard let position = queue.position(of: id) else { throw .invalidParameters }
            queue.index = position
        }
        if let mode { queue.repeatMode = mode }
        if let distance, queue.index(jumping: distance) == nil { throw .invalid(.endOfQueue) }
        try self.updateItems(items)
        if let mode { self.queue.repeatMode = mode }
        if let shuffles = message.shuffles { self.mix(shuffles, at: now) }
        if let distance, distance != 0 {
            if let position = id.flatMap({ self.queue.position(of: $0) }) { self.queue.index = position }
            try self.jump(distance, startTime: time, at: now)
        } else {
            self.makeCurrent(id, startTime: time, at: now)
        }
        self.forgetPreload()
    }

    mutating func remove(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        let message = request.message
        let time = try request.checked("currentTime", message.currentTime)
        let id = try request.checked("currentItemId", message.currentItemID)
        guard let ids = message.itemIDs.map(Set.init), self.queue.ids.contains(where: ids.contains) else {
            throw .invalidParameters
        }
        if let id, ids.contains(id) || self.queue.position(of: id) == nil { throw .invalidParameters }
        let (removed, currentRemoved) = self.queue.remove(ids)
        self.forgetPreload()
        self.noteChange(.remove, removed)
        guard currentRemoved else { return self.makeCurrent(id, startTime: time, at: now) }
        let next = id.flatMap { self.queue.position(of: $0) } ?? self.queue.index
        if next < self.queue.count {
            self.start(next, startTime: time, after: .interrupted, at: now)
        } else if self.queue.repeatMode.wraps, self.queue.count > 0 {
            self.start(0, startTime: time, after: .interrupted, at: now)
        } else {
            // An empty queue ends the session, and so does one without a next item.
            self.ending = self.queue.count == 0 ? .cancelled : .finished
        }
    }

    mutating func reorder(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        let message = request.message
        let time = try request.checked("currentTime", message.currentTime)
        let id = try request.checked("currentItemId", message.currentItemID)
        let before = try request.checked("insertBefore", message.insertBefore)
        guard let ids = message.itemIDs, self.queue.ids.contains(where: Set(ids).contains) else {
            throw .invalidParameters
        }
        if let before, ids.contains(before) { throw .invalidParameters }
        if let id, self.queue.position(of: id) == nil { throw .invalidParameters }
        self.queue.reorder(ids, before: before)
        self.makeCurrent(id, startTime: time, at: now)
        self.forgetPreload()
        self.noteChange(.update, self.queue.ids)
    }

    /// QUEUE_SHUFFLE: what plays goes on.
    mutating func shuffle(_ shuffles: Bool) {
        if shuffles { self.queue.shuffle(keepingCurrent: true) } else { self.queue.unshuffle() }
        self.forgetPreload()
        self.noteChange(.update, self.queue.ids)
    }

    /// The `shuffle` of QUEUE_UPDATE: the item that stands at the current place afterwards is loaded.
    private mutating func mix(_ shuffles: Bool, at now: NIODeadline) {
        guard shuffles else { return self.shuffle(false) }
        let id = self.queue.current?.id
        self.queue.shuffle(keepingCurrent: false)
        if self.queue.current?.id != id { self.start(self.queue.index, after: .interrupted, at: now) }
        self.noteChange(.update, self.queue.ids)
    }

    /// Goes to an item if it is another one; with a time alone, to that time of the current one.
    private mutating func makeCurrent(_ id: Int?, startTime: Double?, at now: NIODeadline) {
        if let id, id != self.queue.current?.id, let position = self.queue.position(of: id) {
            self.start(position, startTime: startTime, after: .interrupted, at: now)
        } else if let startTime {
            self.start(
                self.queue.index, startTime: startTime, autoplay: self.wantsPlay, after: .interrupted, at: now)
        }
    }

    private mutating func updateItems(_ items: [QueueItem]) throws(PlayerRefusal) {
        guard !items.isEmpty else { return }
        var queue = self.queue
        var ids: [Int] = []
        for item in items {
            guard let id = item.itemID, !item.json.has("media") || item.media?.names == true, queue.update(item, id: id)
            else { throw .invalidParameters }
            ids.append(id)
        }
        self.queue = queue
        // What plays goes on; only what is shown of it changes.
        if let current = queue.current, ids.contains(current.id), let media = current.item.media,
            media.contentID == self.media.information.contentID
        {
            self.take(media)
        }
        self.noteChange(.itemsChange, ids)
    }

    /// Adds items of the queue's provider after the last one or before the first.
    mutating func grow(by items: [QueueItem], isBehind: Bool) {
        let first = self.queue.ids.first
        let ids = self.queue.insert(items, at: isBehind ? self.queue.count : 0)
        self.forgetPreload()
        self.noteChange(.insert, ids, before: isBehind ? nil : first)
    }

    /// Puts items of the queue's provider in the place of those around the current one.
    /// - Returns: false when an answer has none that may be there.
    mutating func rearrange(isShuffled: Bool, _ accept: (PlayerQueue) -> [QueueItem]?) -> Bool {
        var queue = self.queue
        guard let current = queue.current else { return false }
        _ = queue.remove(Set(queue.ids).subtracting([current.id]))
        guard let items = accept(queue) else { return false }
        _ = queue.insert(items, at: 1)
        queue.isShuffled = isShuffled
        self.queue = queue
        self.forgetPreload()
        self.noteChange(.update, queue.ids)
        return true
    }

    private mutating func noteChange(_ type: QueueChangeType, _ ids: [Int], before: Int? = nil) {
        var change = self.queue.change(type, ids)
        change["insertBefore"] = before.map { .number($0) }
        self.queueChanges.append(change)
    }

    /// Forgets the preloaded item, which may not be the next any more.
    private mutating func forgetPreload() {
        guard let id = self.preloadedItemID, self.queue.foreseeableNext?.id != id else { return }
        self.preloadedItemID = nil
    }
}
