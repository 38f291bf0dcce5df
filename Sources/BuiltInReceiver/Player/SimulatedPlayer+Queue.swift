import CastWire
import NIOCore
import SystemPrimitives

extension SimulatedPlayer {
    /// QUEUE_NEXT, QUEUE_PREV and the `jump` of QUEUE_UPDATE.
    mutating func jump(
        _ distance: Int, startTime: Double? = nil, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        guard let index = session.queue.index(jumping: distance) else { throw .invalid(.endOfQueue) }
        self.start(index, in: &session, startTime: startTime, after: .interrupted, at: now)
    }

    mutating func insert(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let message = request.message
        let items = try self.newItems(request, into: session.queue)
        let time = try request.checked("currentTime", message.currentTime)
        let index = try request.checked("currentItemIndex", message.currentItemIndex)
        let before = try request.checked("insertBefore", message.insertBefore)
        let id = try request.checked("currentItemId", message.currentItemID)
        if let index, !items.indices.contains(index) { throw .invalidParameters }
        // An item that is not there, such as the 0 of senders that mean none, appends.
        let place = before.flatMap { session.queue.position(of: $0) }
        let position = place ?? session.queue.count
        let firstID = self.nextItemID
        if index == nil, let id, session.queue.position(of: id) == nil { throw .invalidParameters }
        session.queue.insert(items, at: position, firstID: firstID)
        self.nextItemID += items.count
        self.forgetPreload(&session)
        if let index {
            self.start(position + index, in: &session, startTime: time, after: .interrupted, at: now)
        } else {
            self.makeCurrent(id, startTime: time, &session, at: now)
        }
        var change = self.queueChange(.insert, Array(firstID..<firstID + items.count), session.queue)
        if place != nil, let before { change["insertBefore"] = .number(before) }
        self.afterAnswer.append(change)
    }

    mutating func update(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let message = request.message
        let time = try request.checked("currentTime", message.currentTime)
        let id = try request.checked("currentItemId", message.currentItemID)
        let distance = try request.checked("jump", message.jump)
        let mode = try request.checked("repeatMode", message.repeatMode)
        let items = try request.checked("items", message.items) ?? []
        if let mode, !mode.isKnown { throw .invalidParameters }
        var queue = session.queue
        if let id {
            guard let position = queue.position(of: id) else { throw .invalidParameters }
            queue.index = position
        }
        if let mode { queue.repeatMode = mode }
        if let distance, queue.index(jumping: distance) == nil { throw .invalid(.endOfQueue) }
        try self.updateItems(items, &session)
        if let mode { session.queue.repeatMode = mode }
        if let shuffles = message.shuffles { self.mix(shuffles, &session, at: now) }
        if let id, let distance, distance != 0 {
            session.queue.index = session.queue.position(of: id) ?? session.queue.index
            try self.jump(distance, startTime: time, &session, at: now)
        } else if let distance, distance != 0 {
            try self.jump(distance, startTime: time, &session, at: now)
        } else {
            self.makeCurrent(id, startTime: time, &session, at: now)
        }
        self.forgetPreload(&session)
    }

    mutating func remove(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let message = request.message
        let time = try request.checked("currentTime", message.currentTime)
        let id = try request.checked("currentItemId", message.currentItemID)
        guard let ids = message.itemIDs.map(Set.init), session.queue.ids.contains(where: ids.contains) else {
            throw .invalidParameters
        }
        if let id, ids.contains(id) || session.queue.position(of: id) == nil { throw .invalidParameters }
        let (removed, currentRemoved) = session.queue.remove(ids)
        self.forgetPreload(&session)
        self.afterAnswer.append(self.queueChange(.remove, removed, session.queue))
        guard currentRemoved else { return self.makeCurrent(id, startTime: time, &session, at: now) }
        let next = id.flatMap { session.queue.position(of: $0) } ?? session.queue.index
        if next < session.queue.count {
            self.start(next, in: &session, startTime: time, after: .interrupted, at: now)
        } else if session.queue.repeatMode.wraps, session.queue.count > 0 {
            self.start(0, in: &session, startTime: time, after: .interrupted, at: now)
        } else {
            // An empty queue ends the session, and so does one without a next item.
            self.end(&session, session.queue.count == 0 ? .cancelled : .finished)
        }
    }

    mutating func reorder(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let message = request.message
        let time = try request.checked("currentTime", message.currentTime)
        let id = try request.checked("currentItemId", message.currentItemID)
        let before = try request.checked("insertBefore", message.insertBefore)
        guard let ids = message.itemIDs, session.queue.ids.contains(where: Set(ids).contains) else {
            throw .invalidParameters
        }
        if let before, ids.contains(before) { throw .invalidParameters }
        if let id, session.queue.position(of: id) == nil { throw .invalidParameters }
        session.queue.reorder(ids, before: before)
        self.makeCurrent(id, startTime: time, &session, at: now)
        self.forgetPreload(&session)
        self.afterAnswer.append(self.queueChange(.update, session.queue.ids, session.queue))
    }

    /// QUEUE_SHUFFLE: what plays goes on.
    mutating func shuffle(_ shuffles: Bool, _ session: inout PlayerSession) {
        if shuffles {
            session.queue.shuffle(keepingCurrent: true, using: &self.generator)
        } else {
            session.queue.unshuffle()
        }
        self.forgetPreload(&session)
        self.afterAnswer.append(self.queueChange(.update, session.queue.ids, session.queue))
    }

    /// The `shuffle` of QUEUE_UPDATE: the item that stands at the current place afterwards is loaded.
    private mutating func mix(_ shuffles: Bool, _ session: inout PlayerSession, at now: NIODeadline) {
        guard shuffles else { return self.shuffle(false, &session) }
        let id = session.queue.current?.id
        session.queue.shuffle(keepingCurrent: false, using: &self.generator)
        if session.queue.current?.id != id {
            self.start(session.queue.index, in: &session, after: .interrupted, at: now)
        }
        self.afterAnswer.append(self.queueChange(.update, session.queue.ids, session.queue))
    }

    /// Goes to an item if it is another one; with a time alone, to that time of the current one.
    private mutating func makeCurrent(
        _ id: Int?, startTime: Double?, _ session: inout PlayerSession, at now: NIODeadline
    ) {
        if let id, id != session.queue.current?.id, let position = session.queue.position(of: id) {
            self.start(position, in: &session, startTime: startTime, after: .interrupted, at: now)
        } else if let startTime {
            self.start(
                session.queue.index, in: &session, startTime: startTime, autoplay: session.wantsPlay,
                after: .interrupted, at: now)
        }
    }

    /// The items of a QUEUE_INSERT: without ids, with something to play.
    private func newItems(_ request: PlayerRequest, into queue: PlayerQueue) throws(PlayerRefusal) -> [QueueItem] {
        guard
            let items = Self.newItems(
                request.message.items ?? [], count: request.message.json.array("items")?.count ?? 0, into: queue)
        else { throw .invalidParameters }
        return items
    }

    /// Items that a queue may take: without ids, with something to play, and with room for them.
    /// - Parameter count: how many were written, of which some may be none.
    static func newItems(_ items: [QueueItem], count: Int, into queue: PlayerQueue) -> [QueueItem]? {
        guard !items.isEmpty, items.count == count,
            items.allSatisfy({ ($0.json["itemId"] ?? .null) == .null && $0.media?.names == true }),
            queue.hasRoom(for: items)
        else { return nil }
        return items
    }

    private mutating func updateItems(_ items: [QueueItem], _ session: inout PlayerSession) throws(PlayerRefusal) {
        guard !items.isEmpty else { return }
        var queue = session.queue
        var ids: [Int] = []
        for item in items {
            guard let id = item.itemID, !item.json.has("media") || item.media?.names == true, queue.update(item, id: id)
            else { throw .invalidParameters }
            ids.append(id)
        }
        session.queue = queue
        if let current = queue.current, ids.contains(current.id), let media = current.item.media {
            // What plays goes on; only what is shown of it changes.
            if media.contentID == session.media.information.contentID {
                session.media = ResolvedMedia(media, defaultDuration: self.options.defaultDuration.inSeconds)
                session.queue.setCurrentMedia(session.media.information)
            }
        }
        self.afterAnswer.append(self.queueChange(.itemsChange, ids, session.queue))
    }

    /// What was prepared as the next item may not be the next any more.
    func forgetPreload(_ session: inout PlayerSession) {
        guard let id = session.preloadedItemID, session.queue.foreseeableNext?.id != id else { return }
        session.preloadedItemID = nil
    }
}

extension JSONObject {
    /// True when a field is there and not null.
    fileprivate func has(_ name: String) -> Bool {
        (self[name] ?? .null) != .null
    }
}

extension SimulatedPlayer {
    func itemIDs(of queue: PlayerQueue) -> JSONObject {
        [
            "type": .string(MediaResponseType.queueItemIDs.rawValue), "requestId": 0,
            "itemIds": .array(queue.ids.map { .number($0) }), "sequenceNumber": .number(queue.sequenceNumber),
        ]
    }

    /// QUEUE_GET_ITEMS: the items of these ids, as many as fit into a message.
    func items(_ request: PlayerRequest, _ queue: PlayerQueue) throws(PlayerRefusal) -> JSONObject {
        guard let ids = request.message.itemIDs, !ids.isEmpty else { throw .invalidParameters }
        let byID = Dictionary(queue.entries.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<Int> = []
        let entries = ids.compactMap { seen.insert($0).inserted ? byID[$0] : nil }
        guard !entries.isEmpty else { throw .invalidParameters }
        return self.queueItems(entries, queue)
    }

    /// QUEUE_GET_ITEM_RANGE: the items before and behind one, without it.
    func itemRange(_ request: PlayerRequest, _ queue: PlayerQueue) throws(PlayerRefusal) -> JSONObject {
        let next = try request.checked("nextCount", request.message.nextCount)
        let previous = try request.checked("prevCount", request.message.previousCount)
        guard let id = request.message.itemID, let position = queue.position(of: id), next != nil || previous != nil,
            next ?? 0 >= 0, previous ?? 0 >= 0
        else { throw .invalidParameters }
        let before = queue.entries[..<position].suffix(min(previous ?? 0, queue.count))
        let behind = queue.entries[(position + 1)...].prefix(min(next ?? 0, queue.count))
        return self.queueItems(Array(before) + Array(behind), queue)
    }

    private func queueItems(_ entries: [PlayerQueue.Entry], _ queue: PlayerQueue) -> JSONObject {
        var size = 0
        let fitting = entries.prefix { entry in
            size += JSONValue.object(entry.item.json).textLength + 1
            return size <= StatusBudget.message
        }
        return [
            "type": .string(MediaResponseType.queueItems.rawValue), "requestId": 0,
            "items": .array(fitting.map { .object($0.item.json) }), "sequenceNumber": .number(queue.sequenceNumber),
        ]
    }

    /// The push that tells senders to fetch the queue again (protocol notes, 6.3).
    func queueChange(_ type: QueueChangeType, _ ids: [Int], _ queue: PlayerQueue) -> JSONObject {
        [
            "type": .string(MediaResponseType.queueChange.rawValue), "requestId": 0,
            "changeType": .string(type.rawValue), "itemIds": .array(ids.map { .number($0) }),
            "sequenceNumber": .number(queue.sequenceNumber),
        ]
    }
}
