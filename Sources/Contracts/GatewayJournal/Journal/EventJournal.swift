package import CastWire
package import GatewayCore
package import GatewayOperations
package import Logging
import NIOCore
import Synchronization

/// The journal: numbers everything that happens, keeps it for a while, and tells readers.
///
/// Publishers put events into a batch, which costs them a lock and no more; the journal's thread takes the batch over, numbers and
/// encodes each event once, keeps it in a ring of bytes and age, and puts it into the queues of readers.
package final class EventJournal: EventSource, EventRecorder, Sendable {
    private struct Core {
        var store: JournalStore
        var feeds: [Int: (feed: JournalFeed, namespaces: Set<Namespace>)] = [:]
        /// The feeds that lines of the log come to.
        var logReaders: Set<Int> = []
        var nextFeed = 0
        var interest: MessageInterest
        var isStopped = false
    }

    /// How long the journal's thread rests between two looks while something happens.
    private static let rest = TimeAmount.milliseconds(1)

    /// This run's name in positions.
    package let boot: String
    private let limits: JournalLimits
    private let features: [String]
    private let clock: JournalClock
    private let logger: Logger
    private let events: EventBus
    private let inbox: Mutex<JournalInbox>
    private let core: Mutex<Core>
    /// For the journal's thread alone, which takes it without waiting.
    private let encoder: Mutex<EventEncoder>
    private let eventLoop = Mutex<(any EventLoop)?>(nil)

    /// Makes a journal that waits for its thread; events are recorded from ``attach()`` on.
    /// - Parameters:
    ///   - events: where events are published.
    ///   - boot: this run's name in positions, up to 32 letters and digits; nil for a random one.
    ///   - features: what hello names.
    package init(
        events: EventBus, boot: String? = nil, limits: JournalLimits = JournalLimits(), features: [String] = ["resume"],
        clock: JournalClock = .system, logger: Logger
    ) {
        let boot = boot ?? String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16)
        self.boot = boot
        self.limits = limits
        self.features = features
        self.clock = clock
        self.logger = logger
        self.events = events
        self.inbox = Mutex(JournalInbox(limit: limits.backlog))
        self.core = Mutex(
            Core(
                store: JournalStore(boot: boot, limits: limits), interest: MessageInterest(age: limits.historyAge)))
        self.encoder = Mutex(EventEncoder(boot: boot))
    }

    var now: NIODeadline { self.clock.now() }

    func withStore<Result>(_ body: (inout JournalStore) -> Result) -> Result {
        self.core.withLock { body(&$0.store) }
    }

    // MARK: Recording

    /// Records what is published from now on.
    package func attach() { self.events.setRecorder(self) }

    /// Takes an event, from any thread.
    package func record(_ item: RecordedEvent, cause: String?) {
        let (instant, now) = (self.clock.wall(), self.clock.now())
        guard self.inbox.withLock({ $0.append(item, cause: cause, at: instant, now) }) else { return }
        self.eventLoop.withLock { $0 }?.execute { self.work() }
    }

    /// Tells what waits, and looks again a moment later without being told to: of a burst one publisher wakes the thread.
    private func work() {
        guard self.tellWaiting() else { return }
        self.eventLoop.withLock { $0 }?.scheduleTask(in: Self.rest) { self.work() }
    }

    /// Gives the journal its thread; what has happened so far is told then.
    func begin(on eventLoop: any EventLoop) {
        self.eventLoop.withLock { $0 = eventLoop }
        eventLoop.execute { self.work() }
        eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in self.tick() }
    }

    /// Tells everything that waits. For the journal's thread.
    func drain() {
        while self.tellWaiting() {}
    }

    /// Tells what waits.
    /// - Returns: false when nothing did; the next publisher tells the thread then.
    private func tellWaiting() -> Bool {
        let items = self.inbox.withLock { $0.takeAll() }
        if items.isEmpty { return false }
        let now = self.clock.now()
        let events = self.encoder.withLock { $0.encode(items, at: now) }
        self.warn(of: items)
        let feeds = self.core.withLock { core in
            core.store.append(events, at: now)
            return core.feeds.values.map(\.feed)
        }
        var held: [(feed: JournalFeed, bytes: Int)] = []
        for feed in feeds {
            let (hasEnded, bytes) = feed.update { $0.receive(events, at: now) }
            if hasEnded { self.forget(feed) } else if bytes > 0 { held.append((feed, bytes)) }
        }
        self.endSlowest(of: held)
        return true
    }

    /// Ends the feeds for which most waits, until what waits for all is within the budget.
    private func endSlowest(of held: [(feed: JournalFeed, bytes: Int)]) {
        var waiting = held.reduce(0) { $0 + $1.bytes }
        guard waiting > self.limits.readersBudget else { return }
        for (feed, bytes) in held.sorted(by: { $0.bytes > $1.bytes }) where waiting > self.limits.readersBudget {
            _ = feed.update { $0.endTooSlow() }
            self.forget(feed)
            waiting -= bytes
        }
    }

    private func warn(of items: [JournalInbox.Item]) {
        let lost = items.reduce(0) { if case .lost(let count) = $1 { $0 + count } else { $0 } }
        if lost > 0 {
            self.logger.warning(
                "More happens than the journal can keep up with", metadata: ["lost_count": .stringConvertible(lost)])
        }
    }

    /// Lets time pass. For the journal's thread.
    func tick() {
        let now = self.clock.now()
        let (feeds, oldest, oldestWithMessages, seq) = self.core.withLock { core in
            core.store.forget(at: now)
            if core.interest.hasLeft, core.interest.pass(to: now) {
                self.events.setRecordedNamespaces(core.interest.namespaces)
            }
            return (
                core.feeds.values.map(\.feed), core.store.oldest(withMessages: false),
                core.store.oldest(withMessages: true), core.store.seq
            )
        }
        for feed in feeds {
            let (hasEnded, _) = feed.update {
                $0.pass(to: now, oldest: $0.readsMessages ? oldestWithMessages : oldest, seq: seq)
            }
            if hasEnded { self.forget(feed) }
        }
    }

    /// Ends every feed; nothing is recorded any more.
    func stop() {
        self.events.setRecorder(nil)
        self.drain()
        let feeds = self.core.withLock { core in
            core.isStopped = true
            return core.feeds.values.map(\.feed)
        }
        for feed in feeds {
            _ = feed.update {
                $0.stop()
                return true
            }
        }
        self.eventLoop.withLock { $0 = nil }
    }

    /// Journals messages of apps in these namespaces from now on, whether or not a reader names them.
    package func keepMessages(in patterns: [NamespacePattern]) {
        self.core.withLock { core in
            guard core.interest.standing != patterns else { return }
            core.interest.standing = patterns
            if !core.isStopped { self.events.setRecordedNamespaces(core.interest.namespaces) }
        }
    }

    // MARK: Readers

    /// See ``EventSource/subscribe(to:from:for:wake:)``.
    package func subscribe(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> any EventFeed {
        try self.feed(to: topics, from: position, for: caller, wake: wake)
    }

    func feed(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> JournalFeed {
        let now = self.clock.now()
        let feed: JournalFeed? = self.core.withLock { core in
            guard !core.isStopped else { return nil }
            core.store.forget(at: now)
            core.nextFeed += 1
            let state = FeedState(
                topics, for: caller, from: position, in: core.store, features: self.features, limits: self.limits,
                at: now)
            let feed = JournalFeed(state, id: core.nextFeed, journal: self, wake: wake)
            let namespaces = state.namespaces
            core.feeds[feed.id] = (feed, namespaces)
            if state.readsLog {
                core.logReaders.insert(feed.id)
                self.events.setRecordsLog(true)
            }
            if !namespaces.isEmpty {
                core.interest.add(namespaces)
                self.events.setRecordedNamespaces(core.interest.namespaces)
            }
            return feed
        }
        guard let feed else {
            throw OperationProblem(GatewayError(.unavailable, "the gateway stops"))
        }
        self.eventLoop.withLock { $0 }?.execute { feed.begin() }
        return feed
    }

    /// Has something done on the journal's thread.
    /// - Returns: false when it has none.
    func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let eventLoop = self.eventLoop.withLock({ $0 }) else { return false }
        eventLoop.execute(work)
        return true
    }

    /// A reader goes.
    func cancel(_ feed: JournalFeed) { self.forget(feed) }

    private func forget(_ feed: JournalFeed) {
        let now = self.clock.now()
        self.core.withLock { core in
            if core.logReaders.remove(feed.id) != nil { self.events.setRecordsLog(!core.logReaders.isEmpty) }
            guard let (_, namespaces) = core.feeds.removeValue(forKey: feed.id), !namespaces.isEmpty else { return }
            core.interest.remove(namespaces, at: now)
            if !core.isStopped { self.events.setRecordedNamespaces(core.interest.namespaces) }
        }
    }

    /// How many readers there are.
    package var readerCount: Int { self.core.withLock { $0.feeds.count } }

    /// What was counted until now.
    package var counts: JournalCounts {
        var counts = self.core.withLock { $0.store.losses.complete($0.store.counts) }
        counts.leftOut = self.inbox.withLock { $0.leftOut }
        return counts
    }

    /// See ``EventSource/state(for:)``. The values stand under the names of the resources' kinds, each as the event that told it.
    package func state(for caller: Caller) async -> JSONObject {
        let (view, seq) = self.core.withLock { ($0.store.view, $0.store.seq) }
        var matcher = TopicMatcher(.all, for: caller)
        var resources: [EventResource: [JSONValue]] = [:]
        for event in view.latest where matcher.wants(event.topic) {
            guard case .state(let key, _) = event.kind, case .object(var json)? = try? JSONReader.read(event.bytes)
            else { continue }
            json["boot"] = nil
            resources[key.resource, default: []].append(.object(json))
        }
        return [
            "boot": .string(self.boot), "seq": .number(Int(clamping: seq)),
            "resources": .object(
                JSONObject(EventResource.allCases.map { ($0.rawValue, .array(resources[$0] ?? [])) })),
        ]
    }
}
