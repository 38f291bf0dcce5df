public import CastWire

extension MediaQueue {
    /// How many items are asked for at once: apps send as many as fit into a message.
    private static let fetchSize = 20

    /// Asks an app for its whole queue, as far as it tells it in time.
    /// - Parameters:
    ///   - media: what is known of the app. One that says nothing of a queue is not asked.
    ///   - limit: how long that may take.
    ///   - ask: asks the app, and gives its answer; nil when there is none.
    /// - Returns: the queue; with ids when the app told them, and with the items that came.
    public static func read(
        from media: MediaSnapshot, within limit: Duration = .seconds(10),
        ask: (MediaCommand) async -> JSONObject?
    ) async -> MediaQueue {
        var queue = MediaQueue(cacheSize: Self.maximumItems)
        guard media.hasMediaSession, media.status?.queueData != nil || media.nearItems.count > 1 else { return queue }
        let clock = ContinuousClock()
        let end = clock.now + limit
        func answer(to command: MediaCommand) async -> MediaRequest? {
            let left = clock.now.duration(to: end)
            guard left > .zero, !Task.isCancelled else { return nil }
            return await ask(command.with(timeout: left)).map { MediaRequest(json: $0) }
        }
        guard let ids = await answer(to: .fetchItemIDs()), let told = ids.itemIDs else { return queue }
        _ = queue.received(ids: told, sequenceNumber: ids.sequenceNumber)
        _ = queue.received(items: media.nearItems)
        var missing = (queue.itemIDs ?? []).filter { queue.item(id: $0) == nil }
        while !missing.isEmpty {
            let items = await answer(to: .fetchItems(Array(missing.prefix(Self.fetchSize))))?.items
            _ = queue.received(items: items ?? [])
            let left = missing.filter { queue.item(id: $0) == nil }
            guard left.count < missing.count else { break }
            missing = left
        }
        return queue
    }
}
