import NIOCore

/// The ids of messages that nobody waits for any more, so that their answers are known to be late. Bounded.
struct RecentIDs {
    private static let limit = 1024

    private var ids: Set<Int> = []
    private var order: CircularBuffer<Int> = []

    mutating func insert(_ id: Int) {
        if self.order.count >= Self.limit { self.ids.remove(self.order.removeFirst()) }
        self.ids.insert(id)
        self.order.append(id)
    }

    /// Whether the id is there; it is not afterwards.
    mutating func take(_ id: Int) -> Bool { self.ids.remove(id) != nil }
}
