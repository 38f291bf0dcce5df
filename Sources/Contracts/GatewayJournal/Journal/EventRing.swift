import NIOCore

/// Events in the order of their numbers, the newest of which are kept.
struct EventRing {
    private var events = CircularBuffer<JournalEvent>()
    /// How many bytes they cost.
    private(set) var bytes = 0
    /// The number of the newest event that is not kept any more; 0 for none.
    private(set) var gone: UInt64 = 0

    mutating func append(_ event: JournalEvent) {
        self.events.append(event)
        self.bytes += event.cost
    }

    /// Gives up what is too much, and what is older than a moment.
    mutating func forget(beyond limit: Int, before moment: NIODeadline) {
        while let first = self.events.first, self.bytes > limit || first.at < moment {
            self.events.removeFirst()
            self.bytes -= first.cost
            self.gone = first.seq
        }
    }

    /// The first event behind a number; nil when there is none.
    func event(after seq: UInt64) -> JournalEvent? {
        guard let first = self.events.first else { return nil }
        // Where it is unless numbers between are elsewhere, or were lost.
        let expected = Int(clamping: seq + 1 - min(first.first, seq + 1))
        if expected < self.events.count, self[expected].seq == seq + 1 { return self[expected] }
        var (low, high) = (0, self.events.count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].seq > seq { high = middle } else { low = middle + 1 }
        }
        return low < self.events.count ? self[low] : nil
    }

    private subscript(offset: Int) -> JournalEvent {
        self.events[self.events.index(self.events.startIndex, offsetBy: offset)]
    }
}
