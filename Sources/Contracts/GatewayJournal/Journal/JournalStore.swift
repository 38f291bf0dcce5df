import NIOCore

/// What the journal keeps: the events of the last while, and the latest value of each resource. Knows no clock.
struct JournalStore {
    struct Value {
        let event: JournalEvent
        /// The event as a frame of a snapshot, made for the first reader that asks.
        var snapshot: ByteBuffer?
    }

    /// The latest values at one moment. Copied while the store is held, and put in order when it is not.
    struct View {
        fileprivate let values: [ResourceKey: Value]

        /// The resources that have a value, in the order in which they got it.
        var keys: [ResourceKey] { self.values.sorted { $0.value.event.seq < $1.value.event.seq }.map(\.key) }

        /// The latest values, in the order in which the resources got them.
        var latest: [JournalEvent] { self.values.values.map(\.event).sorted { $0.seq < $1.seq } }
    }

    let boot: String
    /// What its readers did not get.
    let losses = ReaderLosses()
    /// What was appended.
    private(set) var counts = JournalCounts()
    private let limits: JournalLimits
    private var events = EventRing()
    /// Messages of apps, which have a share of the history: one busy namespace does not drive out everything else.
    private var messages = EventRing()
    private var values: [ResourceKey: Value] = [:]
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
            if event.topic.isLive { continue }
            if event.topic.namespace == nil { self.events.append(event) } else { self.messages.append(event) }
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
        self.messages.forget(beyond: self.limits.messageHistory, before: now - self.limits.historyAge)
        self.events.forget(
            beyond: self.limits.history - self.messages.bytes, before: now - self.limits.historyAge)
    }

    /// How many bytes are held.
    var bytes: Int { self.events.bytes + self.messages.bytes }

    /// The number from which on everything can be had again that a reader may want; one more than the newest when nothing can.
    func oldest(withMessages: Bool) -> UInt64 {
        withMessages ? max(self.events.gone, self.messages.gone) + 1 : self.events.gone + 1
    }

    /// The event behind a number; nil when there is none.
    func event(after seq: UInt64, withMessages: Bool) -> JournalEvent? {
        let event = self.events.event(after: seq)
        guard withMessages, let message = self.messages.event(after: seq) else { return event }
        return event.map { $0.seq < message.seq ? $0 : message } ?? message
    }

    /// The latest values.
    var view: View { View(values: self.values) }

    /// The latest value of a resource; nil when there is none any more.
    func latest(of key: ResourceKey) -> JournalEvent? { self.values[key]?.event }

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
