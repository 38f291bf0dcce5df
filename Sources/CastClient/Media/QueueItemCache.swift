import CastWire

/// The queue items that were used last.
struct QueueItemCache: Sendable {
    private var items: [Int: (item: QueueItem, use: Int)] = [:]
    private var uses = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    var count: Int { self.items.count }

    /// Looks without counting as use.
    func peek(_ id: Int) -> QueueItem? { self.items[id]?.item }

    mutating func use(_ id: Int) -> QueueItem? {
        guard let item = self.items[id]?.item else { return nil }
        self.uses += 1
        self.items[id]?.use = self.uses
        return item
    }

    /// Keeps an item; the one whose last use is longest ago makes room.
    mutating func keep(_ item: QueueItem, id: Int) {
        self.uses += 1
        self.items[id] = (item, self.uses)
        guard self.items.count > self.capacity else { return }
        if let oldest = self.items.min(by: { $0.value.use < $1.value.use })?.key { self.items[oldest] = nil }
    }

    mutating func forget(_ ids: some Sequence<Int>) {
        for id in ids { self.items[id] = nil }
    }

    mutating func clear() {
        self.items = [:]
    }
}
