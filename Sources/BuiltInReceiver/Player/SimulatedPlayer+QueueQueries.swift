import CastWire

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

    /// The push that tells senders to look at the queue again (protocol notes, 6.3).
    func queueChange(_ type: QueueChangeType, _ ids: [Int], _ queue: PlayerQueue) -> JSONObject {
        [
            "type": .string(MediaResponseType.queueChange.rawValue), "requestId": 0,
            "changeType": .string(type.rawValue), "itemIds": .array(ids.map { .number($0) }),
            "sequenceNumber": .number(queue.sequenceNumber),
        ]
    }
}
