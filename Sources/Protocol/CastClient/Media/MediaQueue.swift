public import CastWire

/// A receiver's queue as far as a sender knows it: all ids, and the items that were used last.
///
/// It follows the receiver and is never changed ahead of it. A push that is older than what is known is left aside, and one
/// that tells of a gap makes the ids be asked for anew (protocol notes, 6.3 and 6.8).
public struct MediaQueue: Sendable {
    /// The ids in the order of the queue; nil before they were told.
    public private(set) var itemIDs: [Int]?
    /// Whether ``itemIDs`` is what the receiver has now, as far as it says: it tells of changes, and none was missed or is expected.
    public private(set) var isCurrent = false
    /// The receiver's count of changes.
    public private(set) var sequenceNumber: Int?
    /// More than a list of ids that fits into a frame has; a longer queue is asked for anew.
    static let maximumItems = 16_384
    private var cache: QueueItemCache
    private var wanted: [Int] = []

    /// Knows nothing.
    /// - Parameter cacheSize: how many items are kept.
    public init(cacheSize: Int = 200) {
        self.cache = QueueItemCache(capacity: cacheSize)
    }

    /// How many items it has; nil before that was told.
    public var count: Int? { self.itemIDs?.count }

    /// An item that is known.
    public func item(id: Int) -> QueueItem? { self.cache.peek(id) }

    /// The item at a place that is known.
    public func item(at index: Int) -> QueueItem? {
        guard let itemIDs, itemIDs.indices.contains(index) else { return nil }
        return self.cache.peek(itemIDs[index])
    }

    /// Where an item stands.
    public func index(of itemID: Int) -> Int? { self.itemIDs?.firstIndex(of: itemID) }

    // MARK: Fetching

    /// Notes that the items at some places are wanted; those that are known count as used.
    /// - Returns: true when something has to be fetched.
    mutating func want(_ indices: some Sequence<Int>) -> Bool {
        guard let itemIDs else { return false }
        for index in indices where itemIDs.indices.contains(index) {
            let id = itemIDs[index]
            if self.cache.use(id) == nil, !self.wanted.contains(id) { self.wanted.append(id) }
        }
        return !self.wanted.isEmpty
    }

    /// Takes out the ids of the next fetch, those that were wanted last first, in the order of the queue.
    mutating func takeWanted(limit: Int) -> [Int] {
        let ids = self.wanted.suffix(max(limit, 1))
        self.wanted.removeLast(ids.count)
        let chosen = Set(ids)
        return self.itemIDs?.filter(chosen.contains) ?? Array(ids)
    }

    /// Wishes again for items that did not come.
    mutating func wantAgain(_ ids: [Int]) {
        let isThere = Set(self.itemIDs ?? [])
        var wanted = Set(self.wanted)
        self.wanted += ids.filter { isThere.contains($0) && wanted.insert($0).inserted }
    }

    var wantsItems: Bool { !self.wanted.isEmpty }

    /// Takes all wishes back.
    mutating func wantNothing() { self.wanted = [] }

    /// The items among some that are known; they count as used.
    mutating func use(_ ids: [Int]) -> [Int: QueueItem] {
        var items: [Int: QueueItem] = [:]
        for id in ids { items[id] = self.cache.use(id) }
        return items
    }

    /// What is known of items is not trusted any more, and the ids neither.
    mutating func forgetItems() {
        self.isCurrent = false
        self.cache.clear()
    }

    /// Changes may have been missed, or are about to be told: the ids are to be asked for before they are relied on.
    mutating func doubt() { self.isCurrent = false }

    // MARK: What the receiver says

    /// Forgets everything: another media session.
    /// - Returns: what to tell; nothing when nothing was known.
    mutating func clear() -> [MediaQueueChange] {
        let wasKnown = self.itemIDs != nil
        self.itemIDs = nil
        self.isCurrent = false
        self.sequenceNumber = nil
        self.wanted = []
        self.cache.clear()
        return wasKnown ? [.reloaded] : []
    }

    /// QUEUE_ITEM_IDS. More than ``maximumItems`` are not kept, and the queue counts as unknown.
    mutating func received(ids: [Int], sequenceNumber: Int?) -> [MediaQueueChange] {
        if let sequenceNumber, let known = self.sequenceNumber, sequenceNumber < known { return [] }
        guard ids.count <= Self.maximumItems else { return self.clear() }
        self.isCurrent = true
        self.sequenceNumber = sequenceNumber ?? self.sequenceNumber
        var seen: Set<Int> = []
        return self.replace(with: ids.filter { seen.insert($0).inserted })
    }

    /// QUEUE_ITEMS, or the items of a MEDIA_STATUS.
    mutating func received(items: [QueueItem]) -> [MediaQueueChange] {
        var told: Set<Int> = []
        var new: Set<Int> = []
        for item in items {
            guard let id = item.itemID else { continue }
            told.insert(id)
            if self.cache.peek(id) != item { new.insert(id) }
            self.cache.keep(item, id: id)
        }
        self.wanted.removeAll(where: told.contains)
        return self.updated(new)
    }

    /// QUEUE_CHANGE.
    /// - Returns: what to tell, and whether the ids must be asked for anew.
    mutating func received(_ change: QueueChange) -> (changes: [MediaQueueChange], needsIDs: Bool) {
        guard let itemIDs, change.changeType != .noChange else { return ([], false) }
        if let number = change.sequenceNumber, let known = self.sequenceNumber {
            // What is known already includes this change.
            if number <= known { return ([], false) }
            if number - 1 > known { return ([], self.isToBeAsked()) }
        }
        let ids = change.itemIDs
        switch change.changeType {
        case .insert:
            let place = change.insertBefore.map { self.index(of: $0) } ?? itemIDs.count
            guard let place, !ids.isEmpty, itemIDs.count + ids.count <= Self.maximumItems,
                Set(ids).isDisjoint(with: itemIDs)
            else { return ([], self.isToBeAsked()) }
            self.sequenceNumber = change.sequenceNumber ?? self.sequenceNumber
            return (self.replace(with: itemIDs[..<place] + ids + itemIDs[place...]), false)
        case .remove:
            self.sequenceNumber = change.sequenceNumber ?? self.sequenceNumber
            let gone = Set(ids)
            return (self.replace(with: itemIDs.filter { !gone.contains($0) }), false)
        case .itemsChange:
            self.sequenceNumber = change.sequenceNumber ?? self.sequenceNumber
            let known = ids.filter { self.cache.peek($0) != nil }
            self.cache.forget(ids)
            var wanted = Set(self.wanted)
            self.wanted += known.filter { wanted.insert($0).inserted }
            return (self.updated(Set(ids)), false)
        default:
            return ([], self.isToBeAsked())
        }
    }

    /// The change cannot be followed.
    private mutating func isToBeAsked() -> Bool {
        self.isCurrent = false
        return true
    }

    /// What to tell of items that are not as they were; ids that stand nowhere are left out.
    private func updated(_ ids: Set<Int>) -> [MediaQueueChange] {
        guard !ids.isEmpty, let itemIDs else { return [] }
        let indices = itemIDs.indices.filter { ids.contains(itemIDs[$0]) }
        return indices.isEmpty ? [] : [.updated(indices)]
    }

    private mutating func replace(with new: some Sequence<Int>) -> [MediaQueueChange] {
        let new = Array(new)
        let old = self.itemIDs
        self.itemIDs = new
        let isThere = Set(new)
        self.wanted.removeAll { !isThere.contains($0) }
        guard let old else { return [.reloaded] }
        self.cache.forget(old.filter { !isThere.contains($0) })
        guard old != new else { return [] }
        return Self.difference(from: old, to: new)
    }

    private static func difference(from old: [Int], to new: [Int]) -> [MediaQueueChange] {
        let before = Set(old)
        let after = Set(new)
        let removed = old.indices.filter { !after.contains(old[$0]) }
        let inserted = new.indices.filter { !before.contains(new[$0]) }
        if removed.count == old.count || inserted.count == new.count { return [.reloaded] }
        var changes: [MediaQueueChange] = removed.isEmpty ? [] : [.removed(removed)]
        if old.filter(after.contains) != new.filter(before.contains) { changes.append(.reordered) }
        var start: Int?
        for (place, index) in inserted.enumerated() {
            let first = start ?? index
            start = first
            if place + 1 < inserted.count, inserted[place + 1] == index + 1 { continue }
            changes.append(.inserted(first..<(index + 1)))
            start = nil
        }
        return changes
    }
}

/// A change of a queue, in terms of places in ``MediaQueue/itemIDs``.
public enum MediaQueueChange: Hashable, Sendable {
    /// Everything may be different.
    case reloaded
    /// Items stand at these places that were not there.
    case inserted(Range<Int>)
    /// The items at these places, counted before the change, are gone.
    case removed([Int])
    /// The same items stand in another order.
    case reordered
    /// The items at these places are known now, or have other contents.
    case updated([Int])
    /// The receiver says that its queue changed, and this client does not follow it.
    case outdated
}

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
