import NIOCore

/// What the journal keeps: the events of the last while, and the latest value of each resource. Knows no clock.
struct JournalStore {
    private struct Value {
        let event: JournalEvent
        /// The event as a frame of a snapshot, made for the first reader that asks.
        var snapshot: ByteBuffer?
    }

    let boot: String
    /// What its readers did not get.
    let losses = ReaderLosses()
    /// What was appended.
    private(set) var counts = JournalCounts()
    private let limits: JournalLimits
    private var ring = CircularBuffer<JournalEvent>()
    private var values: [ResourceKey: Value] = [:]
    /// How many bytes the ring holds.
    private(set) var bytes = 0
    /// The number of the newest event.
    private(set) var seq: UInt64 = 0

    init(boot: String, limits: JournalLimits) {
        self.boot = boot
        self.limits = limits
    }

    /// Takes numbered events, oldest first.
    mutating func append(_ events: [JournalEvent], at now: NIODeadline) {
        for event in events {
            self.seq = event.seq
            self.counts.add(event)
            self.ring.append(event)
            self.bytes += event.cost
            guard case .state(let key, let isLast) = event.kind else { continue }
            if isLast {
                self.values[key] = nil
                for dependent in key.dependents { self.values[dependent] = nil }
            } else {
                self.values[key] = Value(event: event)
            }
        }
        self.forget(at: now)
    }

    /// Gives up what is too old or too much.
    mutating func forget(at now: NIODeadline) {
        while let first = self.ring.first,
            self.bytes > self.limits.history || now - first.at > self.limits.historyAge
        {
            self.ring.removeFirst()
            self.bytes -= first.cost
        }
    }

    /// The number of the oldest event that can be had again; one more than the newest when there is none.
    var oldest: UInt64 { self.ring.first?.first ?? self.seq + 1 }

    /// Whether everything behind a number is there.
    func hasAll(after seq: UInt64) -> Bool { seq >= self.seq || seq + 1 >= self.oldest }

    /// The event behind a number, with its place; nil when there is none.
    func event(after seq: UInt64) -> JournalEvent? {
        guard seq < self.seq, let first = self.ring.first else { return nil }
        // Where it is unless numbers were lost.
        let expected = Int(clamping: seq + 1 - min(first.first, seq + 1))
        if expected < self.ring.count, self.event(at: expected).seq == seq + 1 { return self.event(at: expected) }
        var (low, high) = (0, self.ring.count)
        while low < high {
            let middle = (low + high) / 2
            if self.event(at: middle).seq > seq { high = middle } else { low = middle + 1 }
        }
        return low < self.ring.count ? self.event(at: low) : nil
    }

    private func event(at offset: Int) -> JournalEvent {
        self.ring[self.ring.index(self.ring.startIndex, offsetBy: offset)]
    }

    /// The resources that have a value, in the order in which they got it.
    var keys: [ResourceKey] { self.values.sorted { $0.value.event.seq < $1.value.event.seq }.map(\.key) }

    /// The latest values, in the order in which the resources got them.
    var latest: [JournalEvent] { self.values.values.map(\.event).sorted { $0.seq < $1.seq } }

    /// The latest value of a resource as a frame of a snapshot; nil when there is none any more.
    mutating func snapshot(of key: ResourceKey) -> (event: JournalEvent, bytes: ByteBuffer)? {
        guard let value = self.values[key] else { return nil }
        if let bytes = value.snapshot { return (value.event, bytes) }
        var bytes = ByteBuffer()
        bytes.writeStaticString("{\"frame\":\"snapshot\",")
        bytes.writeBytes(value.event.bytes.readableBytesView.dropFirst())
        self.values[key]?.snapshot = bytes
        return (value.event, bytes)
    }
}
