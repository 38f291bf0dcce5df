import GatewayCore
import NIOCore

/// What waits for one reader, in the order of its numbers, within a budget of bytes.
///
/// A reader that is a quarter of its budget behind is slow until it has taken everything: of each resource only the newest event
/// waits for it then, at that event's own place, and before it the last one that ended other resources without events of their own. Log events wait in three quarters of the budget; those beyond it become gaps, which stand
/// before what happened later, so a reader that is cut off anywhere has been told of everything up to there. Newest values are shared
/// with the journal, so a slow reader that gets every event of a resource pays for their place only. A budget that is full all the same ends
/// the feed.
struct EventQueue {
    enum Entry {
        case log(JournalEvent)
        case state(JournalEvent, ResourceKey, skipped: Int)
        case gap(from: UInt64, to: UInt64, count: Int)
        case bookmark(UInt64)
        /// Taken out of its place.
        case void
    }

    /// What an entry costs beside its event.
    static let place = 128

    private let limits: JournalLimits
    private let shared: Set<EventResource>
    private var entries = CircularBuffer<Entry>()
    /// The absolute number of the first entry: places stay while entries before them go.
    private var base = 0
    private var voids = 0
    /// Places that have become void, and gaps that were begun, since places were closed up.
    private var untidiness = 0
    /// Where the newest event of each resource waits; kept while the reader is slow.
    private var places: [ResourceKey: Int] = [:]
    /// Where the last event waits that ended other resources too, when the newest of its resource stands behind it.
    private var ends: [ResourceKey: Int] = [:]
    /// Whether log events are lost until there is room again.
    private var isLosing = false
    /// Whether only the newest of each resource waits.
    private(set) var isSlow = false
    /// What waits, in bytes that the reader alone may hold.
    private(set) var heldBytes = 0

    /// - Parameter shared: the resources of which every event comes here, so that the newest is the journal's newest too.
    init(limits: JournalLimits, shared: Set<EventResource>) {
        self.limits = limits
        self.shared = shared
    }

    /// Whether nothing waits.
    var isEmpty: Bool { self.entries.isEmpty }

    /// The first number of the oldest gap that waits; nil for none.
    var oldestLoss: UInt64? {
        for case .gap(let from, _, _) in self.entries { return from }
        return nil
    }

    // MARK: In

    /// Takes an event that the reader wants.
    /// - Returns: false when the budget is full and nothing more can be left out.
    mutating func append(_ event: JournalEvent) -> Bool {
        switch event.kind {
        case .log: self.appendLog(event)
        case .state(let key, _): self.appendState(event, key)
        case .loss(let from): self.lose(from: from, to: event.seq, count: event.lossCount)
        }
        if !self.isSlow, self.heldBytes > self.limits.slowness { self.becomeSlow() }
        return self.heldBytes <= self.limits.clientBudget
    }

    /// Takes a bookmark, for a reader for which nothing waits.
    mutating func append(bookmark seq: UInt64) {
        guard self.entries.isEmpty else { return }
        self.push(.bookmark(seq))
    }

    private mutating func appendLog(_ event: JournalEvent) {
        // Once events are lost, half of the room has to be free again: readers get few gaps and not many.
        let limit = self.isLosing ? self.limits.logBudget / 2 : self.limits.logBudget
        guard self.heldBytes + Self.place + event.cost <= limit else {
            self.isLosing = true
            return self.lose(from: event.seq, to: event.seq, count: 1)
        }
        self.isLosing = false
        self.push(.log(event))
    }

    private mutating func lose(from: UInt64, to: UInt64, count: Int) {
        if case .gap(let first, _, let before)? = self.entries.last {
            self.entries[self.entries.index(before: self.entries.endIndex)] = .gap(
                from: first, to: to, count: before + count)
        } else {
            self.push(.gap(from: from, to: to, count: count))
            self.untidiness += 1
            self.tidy()
        }
    }

    private mutating func appendState(_ event: JournalEvent, _ key: ResourceKey) {
        guard self.isSlow else {
            self.push(.state(event, key, skipped: 0))
            return
        }
        var skipped = 0
        if let place = self.places[key], case .state(let last, _, let before) = self.entry(at: place) {
            if last.endsOthers {
                self.keepEnd(at: place, of: key)
            } else {
                skipped = before + 1
                self.void(place)
            }
        }
        self.places[key] = self.push(.state(event, key, skipped: skipped))
    }

    /// A reader that was not told of this end would hold what ended with it for ever. It stands for an earlier one.
    private mutating func keepEnd(at place: Int, of key: ResourceKey) {
        if let earlier = self.ends[key], case .state(_, _, let before) = self.entry(at: earlier),
            case .state(let last, _, let skipped) = self.entry(at: place)
        {
            self.entries[self.index(of: place)] = .state(last, key, skipped: before + 1 + skipped)
            self.void(earlier)
        }
        // Places may have been closed up.
        self.ends[key] = self.places[key]
    }

    /// From now on only the newest of each resource waits, of what waits already too.
    private mutating func becomeSlow() {
        let waiting = self.entries
        (self.entries, self.base, self.voids, self.untidiness, self.heldBytes) = (CircularBuffer(), 0, 0, 0, 0)
        (self.places, self.ends) = ([:], [:])
        self.isSlow = true
        for entry in waiting {
            switch entry {
            case .state(let event, let key, _): self.appendState(event, key)
            case .gap(let from, let to, let count): self.lose(from: from, to: to, count: count)
            case .log, .bookmark: self.push(entry)
            case .void: break
            }
        }
    }

    // MARK: Out

    /// Takes out what is to be sent next; nil when nothing waits.
    mutating func popFirst() -> Entry? {
        while let entry = self.entries.popFirst() {
            let place = self.base
            self.base += 1
            if case .void = entry {
                self.voids -= 1
                continue
            }
            self.heldBytes -= self.cost(of: entry)
            if case .state(_, let key, _) = entry {
                if self.places[key] == place { self.places[key] = nil }
                if self.ends[key] == place { self.ends[key] = nil }
            }
            self.settle()
            return entry
        }
        self.settle()
        return nil
    }

    /// A reader that has taken everything is not slow any more.
    private mutating func settle() {
        guard self.entries.count == self.voids else { return }
        self.entries.removeAll(keepingCapacity: self.entries.count < 1024)
        self.voids = 0
        self.untidiness = 0
        (self.places, self.ends) = ([:], [:])
        self.isLosing = false
        self.isSlow = false
        self.heldBytes = 0
    }

    // MARK: Places

    private func entry(at place: Int) -> Entry {
        self.entries[self.index(of: place)]
    }

    private func index(of place: Int) -> CircularBuffer<Entry>.Index {
        self.entries.index(self.entries.startIndex, offsetBy: place - self.base)
    }

    @discardableResult
    private mutating func push(_ entry: Entry) -> Int {
        self.heldBytes += self.cost(of: entry)
        self.entries.append(entry)
        return self.base + self.entries.count - 1
    }

    private mutating func void(_ place: Int) {
        let index = self.index(of: place)
        self.heldBytes -= self.cost(of: self.entries[index])
        self.entries[index] = .void
        self.voids += 1
        self.untidiness += 1
        self.tidy()
    }

    /// Closes up void places, and makes one gap of those between which nothing waits any more, once that is worth the walk.
    private mutating func tidy() {
        guard self.untidiness > 32, self.untidiness > self.entries.count / 2 else { return }
        let waiting = self.entries
        self.entries = CircularBuffer(initialCapacity: waiting.count - self.voids + 16)
        self.heldBytes = 0
        for (offset, entry) in waiting.enumerated() {
            switch entry {
            case .void: break
            case .gap(_, let to, let count):
                if case .gap(let first, _, let before)? = self.entries.last {
                    self.entries[self.entries.index(before: self.entries.endIndex)] = .gap(
                        from: first, to: to, count: before + count)
                } else {
                    self.push(entry)
                }
            case .state(_, let key, _):
                let before = self.base + offset
                let (isNewest, isEnd) = (self.places[key] == before, self.ends[key] == before)
                let place = self.push(entry)
                if isNewest { self.places[key] = place }
                if isEnd { self.ends[key] = place }
            case .log, .bookmark: self.push(entry)
            }
        }
        (self.voids, self.untidiness) = (0, 0)
    }

    /// The newest value of a resource is the journal's too; what a slow reader holds alone is its place.
    private func cost(of entry: Entry) -> Int {
        switch entry {
        case .log(let event): Self.place + event.cost
        case .state(let event, let key, _):
            if case .state(_, isLast: false) = event.kind, self.isSlow, self.shared.contains(key.resource) {
                Self.place
            } else {
                Self.place + event.cost
            }
        case .gap, .bookmark: Self.place
        case .void: 0
        }
    }
}
