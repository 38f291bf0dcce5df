import CastWire

extension PlayerQueue {
    /// The answer to QUEUE_GET_ITEM_IDS.
    var itemIDs: JSONObject {
        self.message(.queueItemIDs, ["itemIds": .array(self.ids.map { .number($0) })])
    }

    /// QUEUE_GET_ITEMS: the items of these ids, as many as fit into a message.
    func items(_ request: PlayerRequest) throws(PlayerRefusal) -> JSONObject {
        guard let ids = request.message.itemIDs, !ids.isEmpty else { throw .invalidParameters }
        let byID = Dictionary(self.entries.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<Int> = []
        let entries = ids.compactMap { seen.insert($0).inserted ? byID[$0] : nil }
        guard !entries.isEmpty else { throw .invalidParameters }
        return self.message(entries)
    }

    /// QUEUE_GET_ITEM_RANGE: the items before and behind one, without it.
    func itemRange(_ request: PlayerRequest) throws(PlayerRefusal) -> JSONObject {
        let next = try request.checked("nextCount", request.message.nextCount)
        let previous = try request.checked("prevCount", request.message.previousCount)
        guard let id = request.message.itemID, let position = self.position(of: id), next != nil || previous != nil,
            next ?? 0 >= 0, previous ?? 0 >= 0
        else { throw .invalidParameters }
        let before = self.entries[..<position].suffix(min(previous ?? 0, self.count))
        let behind = self.entries[(position + 1)...].prefix(min(next ?? 0, self.count))
        return self.message(Array(before) + Array(behind))
    }

    private func message(_ entries: [Entry]) -> JSONObject {
        var size = 0
        let fitting = entries.prefix { entry in
            size += JSONValue.object(entry.item.json).textLength + 1
            return size <= StatusBudget.message
        }
        return self.message(.queueItems, ["items": .array(fitting.map { .object($0.item.json) })])
    }

    /// The push that tells senders to fetch the queue again (protocol notes, 6.3).
    func change(_ type: QueueChangeType, _ ids: [Int]) -> JSONObject {
        self.message(
            .queueChange, ["changeType": .string(type.rawValue), "itemIds": .array(ids.map { .number($0) })])
    }

    private func message(_ type: MediaResponseType, _ members: JSONObject) -> JSONObject {
        var message = type.message(.spontaneous, members)
        message["sequenceNumber"] = .number(self.sequenceNumber)
        return message
    }

    /// Items that the queue may take: without ids, with something to play, and with room for them.
    /// - Parameter count: how many were written, of which some may be none.
    func accepted(_ items: [QueueItem], count: Int) -> [QueueItem]? {
        guard !items.isEmpty, items.count == count,
            items.allSatisfy({ ($0.json["itemId"] ?? .null) == .null && $0.media?.names == true }),
            self.hasRoom(for: items)
        else { return nil }
        return items
    }
}
