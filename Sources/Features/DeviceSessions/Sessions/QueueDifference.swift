import CastClient
import GatewayCore

/// The changes of a queue, in ids and places, from how it was known before and how it is known now.
struct QueueDifference {
    /// More changes than this, or changes of more items, are told as one: everything may be different.
    static let maximumChanges = 32
    static let maximumItems = 512

    private let old: [Int]
    private let new: [Int]

    /// Returns the changes to report; nothing when only items came to be known.
    /// - Parameter old: the queue when it told something last.
    static func changes(_ changes: [MediaQueueChange], from old: MediaQueue, to new: MediaQueue) -> [CastQueueChange] {
        guard let before = old.itemIDs, let after = new.itemIDs, !changes.contains(.outdated) else {
            return [CastQueueChange(.reloaded)]
        }
        var told = before == after ? [] : QueueDifference(old: before, new: after).changes
        if told.first?.kind == .reloaded { return told }
        let there = Set(before)
        let updated = Set(changes.flatMap { if case .updated(let indexes) = $0 { indexes } else { [Int]() } }).sorted()
        // An item that came to be known is as it was, for all that is known of it.
        let different = updated.filter { index in
            guard after.indices.contains(index), there.contains(after[index]) else { return false }
            return old.item(id: after[index]) != nil || new.item(id: after[index]) == nil
        }
        if !different.isEmpty {
            told.append(CastQueueChange(.updated, items: different.map { after[$0] }, indexes: different))
        }
        return Self.bounded(told)
    }

    private static func bounded(_ changes: [CastQueueChange]) -> [CastQueueChange] {
        let items = changes.reduce(0) { $0 + $1.items.count }
        return changes.count > Self.maximumChanges || items > Self.maximumItems ? [CastQueueChange(.reloaded)] : changes
    }

    private var changes: [CastQueueChange] {
        let before = Set(self.old)
        let after = Set(self.new)
        guard !before.isDisjoint(with: after) else { return [CastQueueChange(.reloaded)] }
        var changes: [CastQueueChange] = []
        let gone = self.old.indices.filter { !after.contains(self.old[$0]) }
        if !gone.isEmpty { changes.append(CastQueueChange(.removed, items: gone.map { self.old[$0] }, indexes: gone)) }
        let resting = self.resting
        changes += self.runs(.moved) { before.contains(self.new[$0]) && !resting.contains(self.new[$0]) }
        changes += self.runs(.inserted) { !before.contains(self.new[$0]) }
        return Self.bounded(changes)
    }

    /// Items that are meant and stand side by side are one change.
    private func runs(_ kind: CastQueueChange.Kind, where isMeant: (Int) -> Bool) -> [CastQueueChange] {
        var changes: [CastQueueChange] = []
        var index = 0
        while index < self.new.count {
            let start = index
            while index < self.new.count, isMeant(index) { index += 1 }
            if index > start {
                changes.append(
                    CastQueueChange(
                        kind, items: Array(self.new[start..<index]), indexes: Array(start..<index),
                        before: index < self.new.count ? self.new[index] : nil))
            }
            index += 1
        }
        return changes
    }

    /// As many of the items that were there and are there as can be said to stand still: the longest run of them whose order is
    /// the same. The others have moved.
    private var resting: Set<Int> {
        let places = Dictionary(self.old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let order = self.new.compactMap { id in places[id].map { (id: id, place: $0) } }
        // By length: the entry whose place is smallest at the end of a run of that length.
        var ends: [Int] = []
        var previous: [Int?] = Array(repeating: nil, count: order.count)
        for index in order.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if order[ends[middle]].place < order[index].place { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var resting: Set<Int> = []
        var last = ends.last
        while let index = last {
            resting.insert(order[index].id)
            last = previous[index]
        }
        return resting
    }
}
