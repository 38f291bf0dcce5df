public import CastWire

/// The queue as the status tells of it; ``MediaQueue`` knows all of it.
extension MediaSnapshot {
    /// The items that the status carries: mostly the current one and its neighbours.
    public var nearItems: [QueueItem] { self.status?.items ?? [] }
    /// The item that plays.
    public var currentItemID: Int? { self.status?.currentItemID }
    /// The item that is loading.
    public var loadingItemID: Int? { self.status?.loadingItemID }
    /// The item that is prepared as the next one.
    public var preloadedItemID: Int? { self.status?.preloadedItemID }
    /// The item that plays, when the status carries it.
    public var currentItem: QueueItem? { self.nearItems.first { $0.itemID == self.currentItemID } }
    /// The item that is loading, when the status carries it.
    public var loadingItem: QueueItem? {
        self.loadingItemID.flatMap { id in self.nearItems.first { $0.itemID == id } }
    }
    /// The item behind the current one, when the status carries it.
    public var nextItem: QueueItem? {
        guard let index = self.nearItems.firstIndex(where: { $0.itemID == self.currentItemID }) else { return nil }
        return self.nearItems.dropFirst(index + 1).first
    }
    /// What follows the end of an item; the queue's own word when the status has none.
    public var repeatMode: RepeatMode? { self.status?.repeatMode ?? self.status?.queueData?.repeatMode }
    /// True when there is a queue to append to.
    public var hasQueue: Bool { self.hasMediaSession && (self.currentItemID != nil || !self.nearItems.isEmpty) }
    /// True when the receiver can go to a next item.
    public var hasNextItem: Bool { self.supports(.queueNext) || self.nextItem != nil }
    /// True when the receiver can go to an item before this one.
    public var hasPreviousItem: Bool {
        self.supports(.queuePrevious)
            || (self.nearItems.firstIndex { $0.itemID == self.currentItemID }).map { $0 > 0 } ?? false
    }
}
