import Synchronization

/// What the journal has counted since the gateway began.
package struct JournalCounts: Sendable, Hashable {
    /// Numbered events of state resources.
    package internal(set) var states = 0
    /// Numbered events that come once.
    package internal(set) var logs = 0
    /// Events that happened faster than the journal could take them; their numbers were passed over.
    package internal(set) var lost = 0
    /// Events that were given no number, since a peer caused too many of them; the next one of its source counts them.
    package internal(set) var leftOut = 0
    /// Events that readers were told in a later one of the same resource, once for each reader.
    package internal(set) var coalesced = 0
    /// Events that readers were told of in gaps, once for each reader.
    package internal(set) var gaps = 0
    /// How often a reader got a snapshot, since what it had missed was not there any more.
    package internal(set) var resyncs = 0

    /// Counts an event that was given its number.
    mutating func add(_ event: JournalEvent) {
        switch event.kind {
        case .state: self.states += 1
        case .log: self.logs += 1
        case .loss: self.lost += event.lossCount
        }
    }
}

/// What the readers of a journal did not get; counted on their threads.
final class ReaderLosses: Sendable {
    private let coalesced = Atomic<Int>(0)
    private let gaps = Atomic<Int>(0)
    private let resyncs = Atomic<Int>(0)

    func countCoalesced(_ count: Int) { self.coalesced.wrappingAdd(count, ordering: .relaxed) }

    func countGap(_ count: Int) { self.gaps.wrappingAdd(count, ordering: .relaxed) }

    func countResync() { self.resyncs.wrappingAdd(1, ordering: .relaxed) }

    /// Puts them beside what the journal itself has counted.
    func complete(_ counts: JournalCounts) -> JournalCounts {
        var counts = counts
        counts.coalesced = self.coalesced.load(ordering: .relaxed)
        counts.gaps = self.gaps.load(ordering: .relaxed)
        counts.resyncs = self.resyncs.load(ordering: .relaxed)
        return counts
    }
}
