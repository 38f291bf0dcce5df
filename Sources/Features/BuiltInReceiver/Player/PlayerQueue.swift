import CastWire
import NIOCore

/// The items of a media session in their order, and which one is current. Never empty while it plays.
struct PlayerQueue {
    struct Entry {
        let id: Int
        /// The item with its id.
        var item: QueueItem
        /// The length of its text.
        var size: Int
    }

    /// More items, or more text, are refused.
    static let maximumCount = 1000
    static let maximumSize = 1 << 20

    private(set) var entries: [Entry] = []
    var index = 0
    var repeatMode: RepeatMode = .off
    var isShuffled = false
    /// The number of changes.
    private(set) var sequenceNumber = 0
    /// The ids in the order of before a shuffle; empty while nothing was mixed.
    private(set) var unshuffledIDs: [Int] = []
    var seed: QueueSeed

    init(seed: QueueSeed = QueueSeed()) {
        self.seed = seed
    }

    /// Reads a queue that was written down.
    /// - Returns: nil when it has no current item, or is no queue that a player could have.
    init?(record: JSONObject, seed: QueueSeed) {
        self.seed = seed
        let items = (record.array("items") ?? []).compactMap { $0.objectValue.map { QueueItem(json: $0) } }
        self.entries = items.compactMap { item in
            item.itemID.map { Entry(id: $0, item: item, size: JSONValue.object(item.json).textLength) }
        }
        guard self.count <= Self.maximumCount, Set(self.ids).count == items.count else { return nil }
        self.index = record.int("index") ?? 0
        guard self.current != nil else { return nil }
        let mode = RepeatMode(rawValue: record.string("repeat") ?? "")
        self.repeatMode = mode.isKnown ? mode : .off
        self.isShuffled = record.bool("isShuffled") ?? false
        self.sequenceNumber = record.int("sequence") ?? 0
        self.unshuffledIDs = record.array("order")?.compactMap(\.intValue) ?? []
    }

    var current: Entry? { self.entries.indices.contains(self.index) ? self.entries[self.index] : nil }
    var ids: [Int] { self.entries.map(\.id) }
    var count: Int { self.entries.count }

    func position(of id: Int) -> Int? {
        self.entries.firstIndex { $0.id == id }
    }

    func hasRoom(for items: [QueueItem]) -> Bool {
        guard items.count <= Self.maximumCount - self.count else { return false }
        let size = self.entries.reduce(0) { $0 + $1.size }
        return items.reduce(size) { $0 + JSONValue.object($1.json).textLength } <= Self.maximumSize
    }

    /// Inserts items before a position; the current item stays current.
    /// - Returns: the ids of the new items.
    @discardableResult
    mutating func insert(_ items: [QueueItem], at position: Int) -> [Int] {
        let firstID = self.seed.nextItemID
        self.seed.nextItemID += items.count
        let entries = items.enumerated().map { offset, item in
            var item = item
            item.itemID = firstID + offset
            return Entry(id: firstID + offset, item: item, size: JSONValue.object(item.json).textLength)
        }
        if position <= self.index, !self.entries.isEmpty { self.index += entries.count }
        self.entries.insert(contentsOf: entries, at: position)
        self.sequenceNumber += 1
        return entries.map(\.id)
    }

    /// Replaces the fields that are given. False when no item has this id, or the queue would grow too large.
    mutating func update(_ changes: QueueItem, id: Int) -> Bool {
        guard let position = self.position(of: id) else { return false }
        var item = self.entries[position].item
        for member in changes.json.members where member.name != "itemId" { item.json[member.name] = member.value }
        let size = JSONValue.object(item.json).textLength
        let others = self.entries.reduce(0) { $0 + $1.size } - self.entries[position].size
        guard others + size <= Self.maximumSize else { return false }
        self.entries[position].item = item
        self.entries[position].size = size
        self.sequenceNumber += 1
        return true
    }

    /// Keeps what the player learned about the current item.
    mutating func setCurrentMedia(_ media: MediaInformation) {
        guard self.entries.indices.contains(self.index) else { return }
        self.entries[self.index].item.media = media
    }

    /// Removes items. Gives the ids that were there; ``index`` may point behind the end afterwards.
    mutating func remove(_ ids: Set<Int>) -> (removed: [Int], currentRemoved: Bool) {
        let removed = self.entries.map(\.id).filter(ids.contains)
        guard !removed.isEmpty else { return ([], false) }
        let currentRemoved = self.current.map { ids.contains($0.id) } ?? false
        let before = self.entries[..<min(self.index, self.count)].count { ids.contains($0.id) }
        self.entries.removeAll { ids.contains($0.id) }
        self.index -= before
        self.sequenceNumber += 1
        return (removed, currentRemoved)
    }

    /// Moves items before another, or to the end, in the order given; unknown ids are left out.
    mutating func reorder(_ ids: [Int], before other: Int?) {
        let currentID = self.current?.id
        let byID = Dictionary(self.entries.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<Int> = []
        let moved = ids.compactMap { seen.insert($0).inserted ? byID[$0] : nil }
        self.entries.removeAll { seen.contains($0.id) }
        let position = other.flatMap { self.position(of: $0) } ?? self.count
        self.entries.insert(contentsOf: moved, at: position)
        self.restoreCurrent(currentID)
        self.sequenceNumber += 1
    }

    /// Mixes the items. The current one comes first and stays current, or, as QUEUE_UPDATE has it, all are mixed and
    /// the item that stands at the current place then is the current one.
    mutating func shuffle(keepingCurrent: Bool) {
        if self.unshuffledIDs.isEmpty { self.unshuffledIDs = self.ids }
        self.isShuffled = true
        self.sequenceNumber += 1
        guard keepingCurrent, let current = self.current else {
            return self.entries.shuffle(using: &self.seed.generator)
        }
        self.entries.remove(at: self.index)
        self.entries.shuffle(using: &self.seed.generator)
        self.entries.insert(current, at: 0)
        self.index = 0
    }

    /// Restores the order; items that came later stay behind.
    mutating func unshuffle() {
        guard self.isShuffled else { return }
        let currentID = self.current?.id
        let places = Dictionary(self.unshuffledIDs.enumerated().map { ($1, $0) }) { first, _ in first }
        let known = self.entries.filter { places[$0.id] != nil }
        let sorted = known.sorted { (places[$0.id] ?? 0) < (places[$1.id] ?? 0) }
        self.entries = sorted + self.entries.filter { places[$0.id] == nil }
        self.restoreCurrent(currentID)
        self.isShuffled = false
        self.unshuffledIDs = []
        self.sequenceNumber += 1
    }

    /// The place that many items on, by the rules of the repeat mode; nil beyond the ends.
    func index(jumping distance: Int) -> Int? {
        guard self.count > 0 else { return nil }
        if self.repeatMode.wraps {
            return ((self.index + distance % self.count) % self.count + self.count) % self.count
        }
        let (target, overflow) = self.index.addingReportingOverflow(distance)
        return !overflow && self.entries.indices.contains(target) ? target : nil
    }

    /// The item that follows the end of the current one, unless it is the same or only a shuffle will tell.
    var foreseeableNext: Entry? {
        guard self.repeatMode != .single else { return nil }
        if self.index + 1 < self.count { return self.entries[self.index + 1] }
        return self.repeatMode == .all && self.count > 1 ? self.entries.first : nil
    }

    /// The items around the current one, as many as a limit allows: one before it, or half of them when there are more.
    func neighbours(_ limit: Int) -> ArraySlice<Entry> {
        guard self.current != nil else { return [] }
        let before = (limit - 1) / 2
        let behind = limit - 1 - before
        return self.entries[max(0, self.index - before)...min(self.count - 1, self.index + behind)]
    }

    private mutating func restoreCurrent(_ id: Int?) {
        if let id, let position = self.position(of: id) { self.index = position }
    }
}

extension JSONValue {
    /// The number of bytes of its text.
    var textLength: Int {
        var buffer = ByteBuffer()
        JSONWriter.write(self, to: &buffer)
        return buffer.readableBytes
    }
}

/// The numbers that go on from one queue of a player to the next.
struct QueueSeed {
    var nextItemID = 1
    var generator = ShuffleGenerator(seed: 0)
}

/// A generator whose numbers follow from its seed (SplitMix64), so that a mixed queue can be foretold in a test.
struct ShuffleGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
