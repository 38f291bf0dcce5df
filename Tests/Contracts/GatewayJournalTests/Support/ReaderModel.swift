import CastWire
import GatewayOperations
import Testing

@testable import GatewayJournal

/// What happened, written down naively: the number of an event is its place in the list.
struct WrittenEvents {
    struct Event {
        /// The resource; nil for a log event.
        let resource: String?
        let device: Int
        let isLast: Bool
        let number: Int
        /// A message of an app, for readers that name its namespace.
        var isMessage = false
        /// Resources that end with it without an event of their own.
        var ends: [String] = []
    }

    private(set) var all: [Event] = []
    /// Where the latest value of each resource stands.
    private(set) var latest: [String: Int] = [:]
    /// Where the events of each resource stand, in their order.
    private var places: [String: [Int]] = [:]
    /// How many sessions of each device have ended.
    var sessions: [Int: Int] = [:]

    mutating func append(_ event: Event) {
        self.all.append(event)
        guard let resource = event.resource else { return }
        self.places[resource, default: []].append(self.all.count)
        self.latest[resource] = event.isLast ? nil : self.all.count
        for ended in event.ends { self.latest[ended] = nil }
    }

    subscript(seq: Int) -> Event { self.all[seq - 1] }

    /// How many events of a resource stand between two places.
    func count(of resource: String, after first: Int, before last: Int) -> Int {
        let places = self.places[resource] ?? []
        // From the end, since readers are seldom far behind.
        return places.reversed().prefix { $0 > first }.count { $0 < last }
    }
}

/// What one reader has been told, checked with every frame against what happened.
struct ReaderModel {
    /// Which devices the reader sees; nil for all.
    let devices: Set<Int>?
    /// Whether it names the namespace of messages.
    let readsMessages: Bool
    /// Everything up to here was told, left out with a word, or not for the reader.
    private(set) var seen = 0
    /// Log events that were told.
    private(set) var received = 0
    /// Log events that were lost with a word.
    private(set) var lost = 0
    private(set) var coalesced = 0
    private(set) var resyncs = 0
    /// The latest value of each resource, as a number of an event.
    private var state: [String: Int] = [:]
    private var isResyncing = false
    /// What was told last of each resource on this connection.
    private var told: [String: Int] = [:]
    private var skipped = 0

    init(devices: Set<Int>?, readsMessages: Bool) {
        self.devices = devices
        self.readsMessages = readsMessages
    }

    private func isFor(_ event: WrittenEvents.Event) -> Bool {
        (self.readsMessages || !event.isMessage) && (self.devices?.contains(event.device) ?? true)
    }

    /// The reader begins anew, or comes back.
    mutating func connect(asNew: Bool) {
        self.isResyncing = asNew
        self.told = [:]
        self.skipped = 0
        if asNew { self.state = [:] }
    }

    mutating func take(_ frame: JournalFrame, _ written: WrittenEvents) throws {
        let json = BenchReader.json(frame)
        switch frame.kind {
        case .hello: break
        case .resync:
            self.resyncs += 1
            self.connect(asNew: true)
        case .snapshot:
            #expect(self.isResyncing)
            try self.apply(json, written)
        case .synced, .bookmark:
            let seq = try #require(json.int("seq"))
            // Behind a resync everything up to here is said to be lost; else nothing may have been left out.
            if !self.isResyncing { self.expectNothing(from: self.seen + 1, to: seq, written) }
            self.isResyncing = false
            self.seen = max(self.seen, seq)
        case .coalesced: self.skipped = try #require(json.int("count"))
        case .gap:
            let (from, to) = (try #require(json.int("from")), try #require(json.int("to")))
            let lost = (from...to).count { written[$0].resource == nil && self.isFor(written[$0]) && $0 > self.seen }
            #expect(from > self.seen)
            self.expectNothing(from: self.seen + 1, to: from - 1, written)
            #expect(json.int("count") == lost)
            self.lost += lost
            self.seen = to
        case .event:
            let seq = try #require(json.int("seq"))
            #expect(seq > self.seen, "told twice")
            self.expectNothing(from: self.seen + 1, to: seq - 1, written)
            self.seen = seq
            if written[seq].resource == nil { self.received += 1 }
            try self.apply(json, written)
        }
        if let position = frame.position { #expect(position.seq == self.seen) }
    }

    /// Log events are told or covered; states may wait for a newer one, which the end finds out.
    private func expectNothing(from: Int, to: Int, _ written: WrittenEvents) {
        guard from <= to else { return }
        let left = (from...to).filter { written[$0].resource == nil && self.isFor(written[$0]) }
        #expect(left.isEmpty, "left out without a word")
    }

    private mutating func apply(_ json: JSONObject, _ written: WrittenEvents) throws {
        let seq = try #require(json.int("seq"))
        let event = written[seq]
        #expect(self.isFor(event), "not for the reader")
        #expect(json.object("data")?.int("count") ?? event.number == event.number)
        guard let resource = event.resource else { return }
        if json.string("frame") == nil {
            // What `coalesced` said is what happened to the resource between this and what the reader was told last.
            if let before = self.told[resource], before < seq {
                let count = written.count(of: resource, after: before, before: seq)
                #expect(self.skipped == count)
            }
            self.coalesced += self.skipped
            self.skipped = 0
        }
        let newest = max(seq, self.told[resource] ?? 0)
        self.told[resource] = newest
        guard newest == seq else { return }
        self.state[resource] = event.isLast ? nil : seq
        for ended in event.ends { self.state[ended] = nil }
    }

    /// The reader has everything.
    func expectEverything(_ written: WrittenEvents) {
        self.expectNothing(from: self.seen + 1, to: written.all.count, written)
        let expected = written.latest.filter { self.isFor(written[$0.value]) }
        #expect(self.state == expected)
    }
}
