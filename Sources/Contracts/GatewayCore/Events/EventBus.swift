public import CastWire
import Synchronization
import SystemPrimitives

/// Hands events from the event loops to their subscribers, and never waits for one.
///
/// Each subscriber has a bounded stream of its own. Publishing takes a lock, asks each subscriber's filter, and yields; a
/// subscriber that reads too slowly loses its oldest events, counted. Counters outside the lock tell publishers whether
/// there is any subscriber at all, so that costly events are not even made.
///
/// One recorder may take everything beside them (``EventRecorder``). Messages of apps are made for it in those namespaces alone
/// that it names, and statuses reach it unread, so it costs messages nothing.
public final class EventBus: Sendable {
    private struct State {
        var nextID = 0
        var subscribers: [Int: Subscriber] = [:]
        var recorder: (any EventRecorder)?
        /// Messages of apps in these namespaces are recorded.
        var recorded = RecordedNamespaces()
        /// Those of the gateway's own sessions, by their numbers, are recorded in these besides.
        var opened: [Int: Opened] = [:]

        /// The recorder, for an event that it takes.
        func recorder(of event: GatewayEvent) -> (any EventRecorder)? {
            guard let recorder else { return nil }
            if case .channelMessage(let device, let message, _, let via) = event,
                !self.recorded.contains(message.namespace)
            {
                let isOpened =
                    via == .own
                    && self.opened.values.contains {
                        $0.device == device && $0.namespaces.contains(message.namespace)
                    }
                return isOpened ? recorder : nil
            }
            return recorder
        }

        /// In which namespaces events are made of messages for the recorder.
        var wanted: RecordedNamespaces {
            var wanted = self.recorded
            if self.recorder != nil { for opened in self.opened.values { wanted.named.formUnion(opened.namespaces) } }
            return wanted
        }
    }

    /// The channels that a caller has opened in a session.
    private struct Opened: Equatable {
        /// The session's device; a session with another device in the same namespace is not meant.
        let device: String
        let namespaces: Set<Namespace>
    }

    private struct Subscriber {
        let isWanted: @Sendable (GatewayEvent) -> Bool
        let seesMessages: Bool
        let continuation: AsyncStream<GatewayEvent>.Continuation
        let dropped: DropCounter
    }

    private let state = Mutex(State())
    private let count = Atomic(0)
    private let messageCount = Atomic(0)
    /// The channels of apps that are connected.
    public let channels = AppChannelRegistry()
    private let isLogWanted = Atomic(false)
    /// How casting stands as a whole.
    public let castState = CastStateTracker()
    /// The gateway's own sessions that have ended a short while ago.
    public let endedSessions = EndedSessionCache()
    /// Tells what goes by the time of day that the clock was set.
    public let clock = ClockSteps()
    /// Which messages of apps are wanted at all.
    let demand = MessageDemand()

    /// Starts without subscribers.
    public init() {
        self.channels.attach { [unowned self] in self.publish($0) }
        self.castState.attach { [unowned self] in self.publish($0) }
    }

    /// True while there is a subscriber or a recorder; spares the making of costly events.
    public var hasSubscribers: Bool { self.count.load(ordering: .relaxed) > 0 }

    /// True while there is a subscriber to what single messages give rise to.
    public var hasMessageSubscribers: Bool { self.messageCount.load(ordering: .relaxed) > 0 }

    /// Whether a message of an app's own is wanted; otherwise its event need not be made.
    public func wantsMessage(_ names: MessageNames) -> Bool {
        self.demand.wants(names)
    }

    /// Delivers an event to every subscriber that wants it, and to the recorder. A full subscriber loses its oldest event, counted.
    public func publish(_ event: GatewayEvent) {
        guard self.hasSubscribers else { return }
        let (subscribers, recorder) = self.state.withLock { state in
            (state.subscribers.values.filter { $0.isWanted(event) }, state.recorder(of: event))
        }
        recorder?.record(.event(event), cause: CommandTrace.current?.request)
        Self.yield(event, to: subscribers)
        if case .castSession = event { self.endedSessions.note(event) }
        self.castState.note(event)
    }

    /// What takes every event; nil for none.
    var recorder: (any EventRecorder)? { self.state.withLock { $0.recorder } }

    /// Sets what takes every event from now on; nil for none, which forgets the namespaces too.
    public func setRecorder(_ recorder: (any EventRecorder)?) {
        self.state.withLock { state in
            state.recorder = recorder
            if recorder == nil { state.recorded = RecordedNamespaces() }
            self.recount(state)
        }
    }

    /// Whether the recorder wants lines of the log, which no subscriber gets.
    public var wantsLog: Bool { self.isLogWanted.load(ordering: .relaxed) }

    /// Says whether lines of the log are recorded from now on.
    public func setRecordsLog(_ isWanted: Bool) { self.isLogWanted.store(isWanted, ordering: .relaxed) }

    /// Hands a line of the log to the recorder alone.
    public func recordLog(_ event: GatewayEvent) {
        if self.wantsLog { self.recorder?.record(.event(event), cause: nil) }
    }

    /// Says in which namespaces messages of apps are recorded from now on.
    public func setRecordedNamespaces(_ namespaces: RecordedNamespaces) {
        self.state.withLock { state in
            guard state.recorder != nil else { return }
            state.recorded = namespaces
            self.recount(state)
        }
        self.channels.follow(namespaces)
    }

    /// Says in which namespaces messages of a session of the gateway's own are recorded from now on, with and without readers.
    /// - Parameters:
    ///   - number: the session's number.
    ///   - device: the name of its device, as events have it. Those of other devices in these namespaces are not recorded for it.
    public func setOpenedNamespaces(_ namespaces: Set<Namespace>, ofSession number: Int, on device: String) {
        self.state.withLock { state in
            let opened = namespaces.isEmpty ? nil : Opened(device: device, namespaces: namespaces)
            guard state.opened[number] != opened else { return }
            state.opened[number] = opened
            self.recount(state)
        }
    }

    /// Delivers an event to every subscriber that wants it, and not to the recorder.
    func deliver(_ event: GatewayEvent) {
        Self.yield(event, to: self.state.withLock { $0.subscribers.values.filter { $0.isWanted(event) } })
    }

    private static func yield(_ event: GatewayEvent, to subscribers: [Subscriber]) {
        for subscriber in subscribers {
            if case .dropped = subscriber.continuation.yield(event) { subscriber.dropped.increment() }
        }
    }

    /// Begins to receive events; ends when the sequence is dropped or its task is cancelled.
    /// - Parameters:
    ///   - limit: how many events may wait; beyond it the oldest is lost.
    ///   - seesMessages: false when `isWanted` holds for nothing that single messages give rise to; devices then do not
    ///     make it.
    ///   - isWanted: which events; called on the publisher's event loop, so it must be quick.
    public func subscribe(
        limit: Int = 1024, seesMessages: Bool = true,
        where isWanted: @escaping @Sendable (GatewayEvent) -> Bool = { _ in true }
    ) -> EventSubscription {
        let (stream, continuation) = AsyncStream.makeStream(
            of: GatewayEvent.self, bufferingPolicy: .bufferingNewest(limit))
        let dropped = DropCounter()
        let id = self.state.withLock { state in
            state.nextID += 1
            state.subscribers[state.nextID] = Subscriber(
                isWanted: isWanted, seesMessages: seesMessages, continuation: continuation, dropped: dropped)
            self.recount(state)
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.unsubscribe(id)
        }
        return EventSubscription(events: stream, dropped: dropped)
    }

    private func unsubscribe(_ id: Int) {
        self.state.withLock { state in
            state.subscribers[id] = nil
            self.recount(state)
        }
    }

    private func recount(_ state: State) {
        self.count.store(state.subscribers.count + (state.recorder == nil ? 0 : 1), ordering: .relaxed)
        let readers = state.subscribers.values.count(where: \.seesMessages)
        self.messageCount.store(readers, ordering: .relaxed)
        self.demand.set(all: readers > 0, named: state.wanted)
    }
}

/// One subscriber's view of the event bus.
public struct EventSubscription: Sendable {
    /// The events, oldest first.
    public let events: AsyncStream<GatewayEvent>
    fileprivate let dropped: DropCounter

    /// How many events were lost because the subscriber did not take them in time.
    public var droppedCount: Int { self.dropped.count }
}

/// Counts what a slow subscriber lost.
final class DropCounter: Sendable {
    private let value = Atomic<Int>(0)

    func increment() {
        self.value.add(1, ordering: .relaxed)
    }

    var count: Int { self.value.load(ordering: .relaxed) }
}
