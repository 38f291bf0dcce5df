import CastWire
import GatewayCore
import NIOCore
import PluginKit

/// The gateway's end of one plugin's wire: messages out, verdicts in, each with its deadline, and everything bounded.
///
/// A message goes out when the plugin has a credit for it, else it waits (``MessagesInFlight``). Its verdict is checked
/// against the grant (``VerdictCheck``) and completes the message's deferral. Copies and events go out as far as the plugin
/// reads; then the oldest are left out, and counted. All lines of one turn of the event loop leave in one write.
///
/// Lives on one event loop. Knows nothing of processes; the lines are carried by a ``PluginTransport``.
final class PluginWire {
    /// The number of copies and events that may wait for a plugin that does not read.
    static let eventLimit = 1024
    /// Beyond so many bytes that the plugin has not read, messages fail at once.
    static let outputLimit = 4 << 20
    /// Beyond so many bytes that the plugin has not read, copies and events wait.
    private static let eventOutputLimit = 256 << 10
    /// The memory that is kept for the lines of later turns, in bytes.
    private static let spareLimit = 64 << 10
    /// The longest reason of a failure that is kept, in bytes.
    private static let reasonLimit = 256
    /// The interval at which messages are looked for whose verdict is not awaited any more.
    private static let sweepInterval = TimeAmount.milliseconds(20)

    let eventLoop: any EventLoop
    private(set) var bounds: PluginBounds
    var counts = PluginCounts()
    weak var observer: (any PluginWireObserver)?
    var transport: (any PluginTransport)?
    private(set) var isClosed = false
    /// True if it is being ended for what it says.
    private(set) var isGivenUp = false
    var traces = PluginTraces()

    private var splitter = LineSplitter()
    private var outgoing = ByteBuffer()
    private var spare = ByteBuffer()
    private var isFlushScheduled = false
    private var isFlushing = false
    private var inTransit = 0

    private var credits = PluginProtocol.defaultMaximumInFlight
    private var maximumDeadline = Duration.seconds(10)
    private(set) var nextID = 1
    var messages = MessagesInFlight()
    var operations = OperationsUnderWay()
    var callRate = LineRate(limit: PluginWire.callLimit, window: .seconds(1))
    var provisionRate = LineRate(limit: PluginWire.provisionLimit, window: .seconds(1))
    var progressRate = LineRate(limit: PluginWire.progressLimit, window: .minutes(1))
    var calls: [Int: EventLoopPromise<RPCResponse>] = [:]
    private var events: CircularBuffer<PluginEvent> = []
    private var droppedEvents = 0
    private var isSweeping = false
    private var whenIdle: [() -> Void] = []
    private(set) var isDraining = false
    private var successor: PluginConnection?
    /// Tells the plugin to drain, once nothing waits for a credit.
    private var sendDrain: (() -> Void)?
    private(set) var heard = HeardPlaces()
    var strays = LineRate(limit: PluginWire.strayLimit, window: .minutes(1))
    var healthChanges = LineRate(limit: 60, window: .minutes(1))
    /// The number of lines a minute, none of them of the protocol, that are a flood.
    private static let strayLimit = 10_000

    init(bounds: PluginBounds, eventLoop: any EventLoop) {
        self.bounds = bounds
        self.eventLoop = eventLoop
    }

    /// Takes the agreement between the plugin and the configuration.
    func agree(credits: Int, maximumDeadline: Duration) {
        self.credits = max(1, credits)
        self.maximumDeadline = maximumDeadline
    }

    func follow(_ bounds: PluginBounds) {
        self.bounds = bounds
    }

    // MARK: Messages

    /// The number of messages the plugin has, those that it deferred counted, and operations.
    var inFlightCount: Int { self.messages.count + self.operations.count }

    /// True if the plugin has so much to read that nothing more is asked of it.
    var isCongested: Bool { self.unread >= Self.outputLimit }

    func takeID() -> Int {
        defer { self.nextID += 1 }
        return self.nextID
    }

    /// Calls back once the plugin has no message any more: at once, or when it has decided about the last one.
    func whenIdle(_ callback: @escaping () -> Void) {
        if self.inFlightCount == 0 { callback() } else { self.whenIdle.append(callback) }
    }

    func callBackWhenIdle() {
        guard !self.whenIdle.isEmpty, self.inFlightCount == 0 else { return }
        let callbacks = self.whenIdle
        self.whenIdle = []
        for callback in callbacks { callback() }
    }

    /// Asks the plugin about a message, now or when there is a credit.
    func submit(_ item: PluginWorkItem) {
        if self.isDraining || self.isClosed, let successor { return successor.submit(again: item) }
        guard !self.isClosed else { return self.fail(item, .unavailable, "the plugin has ended") }
        guard !self.isDraining else { return self.fail(item, .unavailable, "the plugin is being stopped") }
        guard !self.isCongested else {
            self.counts.overloaded += 1
            return self.fail(item, .unavailable, "the plugin does not read", as: .overloaded)
        }
        if self.messages.pendingCount < self.credits, self.messages.isQueueEmpty {
            self.send(item)
        } else if !self.messages.enqueue(item) {
            self.counts.overloaded += 1
            self.fail(item, .unavailable, "too many messages wait for the plugin", as: .overloaded)
        }
        self.sweepLater()
    }

    private func send(_ item: PluginWorkItem) {
        let left = item.deadline - self.eventLoop.now
        guard left > .zero, !item.deferral.isSettled else {
            self.counts.abandoned += 1
            return self.countUnawaited(item)
        }
        item.askedAt = self.eventLoop.now
        let id = self.takeID()
        self.messages.asked(item, requestID: id)
        self.heard.hear(
            device: item.message.device.name, leg: item.message.leg, session: item.message.session?.sessionID)
        let request = MessageRequest(
            phase: item.phase, deadline: .nanoseconds(left.nanoseconds),
            message: PluginMessage(item.message, id: item.id))
        self.write { request.write(id: .number(id), to: &$0) }
    }

    func fail(
        _ item: PluginWorkItem, _ code: GatewayError.Code, _ reason: String, as result: PluginCallCounts.Result = .error
    ) {
        self.count(item, result)
        item.deferral.fail(GatewayError(code, reason))
    }

    func sendQueued() {
        while self.messages.pendingCount < self.credits, let item = self.messages.dequeue() { self.send(item) }
        if self.messages.isQueueEmpty, let sendDrain {
            self.sendDrain = nil
            sendDrain()
        }
    }

    /// Tells the plugin that no message comes any more, once it has those that wait for a credit.
    func drain(_ promise: EventLoopPromise<RPCResponse>, _ request: DrainRequest, successor: PluginConnection?) {
        self.isDraining = true
        self.successor = successor
        self.sendDrain = { [weak self] in
            guard let self else { return promise.fail(GatewayError(.unavailable, "the plugin has ended")) }
            self.call(promise) { .drain($0, request) }
        }
        self.sendQueued()
    }

    func answered(_ item: PluginWorkItem, _ response: RPCResponse) {
        defer {
            self.sendQueued()
            self.callBackWhenIdle()
        }
        if item.deferral.isSettled {
            self.counts.late += 1
            self.counts.abandoned += 1
            return self.countUnawaited(item)
        }
        do throws(PluginLineFault) {
            self.decide(item, try response.verdict())
        } catch {
            if case .failure(let refusal) = response.outcome {
                self.counts.errors += 1
                self.fail(item, .handlerFailed, "\(refusal)".cut(to: Self.reasonLimit))
            } else {
                self.counts.invalid += 1
                self.fail(item, .handlerFailed, error.reason, as: .invalid)
            }
        }
    }

    private func decide(_ item: PluginWorkItem, _ verdict: Verdict) {
        if case .deferred(let wanted) = verdict.disposition { return self.hold(item, wanted, verdict) }
        let check = VerdictCheck(bounds: self.bounds, message: item.message, phase: item.phase)
        do throws(GatewayError) {
            let outcome = try check.outcome(of: verdict)
            self.counts.answered += 1
            self.count(item, .ok)
            item.deferral.complete(with: outcome.verdict)
            for effect in outcome.hostEffects { self.observer?.effect(effect) }
            for refusal in outcome.refused { self.refuse(refusal) }
        } catch {
            self.counts.invalid += 1
            self.count(item, .invalid)
            item.deferral.fail(error)
        }
    }

    private func hold(_ item: PluginWorkItem, _ wanted: Duration?, _ verdict: Verdict) {
        guard item.phase == .handle, self.messages.hold(item) else {
            self.counts.invalid += 1
            let reason = item.phase == .handle ? "too many messages are deferred" : "only an owner may defer"
            return self.fail(item, .handlerFailed, reason, as: .invalid)
        }
        let time = min(wanted ?? self.maximumDeadline, self.maximumDeadline)
        item.deadline = self.eventLoop.now + TimeAmount(time)
        item.deferral.extendDeadline(to: time)
        for effect in verdict.effects {
            // All other effects depend on the verdict, and come with it.
            if case .log = effect { self.observer?.effect(effect) }
        }
        self.sweepLater()
    }

    func completed(_ completion: MessageCompletion) {
        guard let item = self.messages.completed(completion.messageID) else {
            self.counts.unknownIDs += 1
            return
        }
        defer { self.callBackWhenIdle() }
        guard !item.deferral.isSettled else {
            self.counts.late += 1
            return self.countUnawaited(item)
        }
        self.decide(item, completion.verdict)
    }

    /// Looks before long for messages whose verdict is not awaited any more.
    private func sweepLater() {
        guard !self.isSweeping, self.messages.count > 0 else { return }
        self.isSweeping = true
        let wire = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.scheduleTask(in: Self.sweepInterval) { wire.value.sweep() }
    }

    private func sweep() {
        self.isSweeping = false
        for item in self.messages.sweepQueue() { self.countUnawaited(item) }
        for item in self.messages.sweep() {
            self.counts.abandoned += 1
            self.countUnawaited(item)
            let reason = self.eventLoop.now >= item.deadline ? "deadline" : "flow_closed"
            let line = GatewayLine.cancel(
                CancelNotice(id: .number(item.requestID), messageID: item.id, reason: reason))
            self.write { line.write(to: &$0) }
        }
        self.sendQueued()
        self.callBackWhenIdle()
        self.sweepLater()
    }

    // MARK: Copies and events

    /// Tells the plugin that something happened, when it has read enough of what it was told before.
    func notify(_ event: PluginEvent) {
        guard !self.isClosed else { return }
        if self.events.isEmpty, self.unread < Self.eventOutputLimit { return self.write(event) }
        if self.events.count >= Self.eventLimit {
            self.events.removeFirst()
            self.dropEvents(1)
        }
        self.events.append(event)
    }

    /// Counts what was left out before it came here.
    func dropEvents(_ count: Int) {
        self.counts.dropped += count
        self.droppedEvents += count
    }

    private func write(_ event: PluginEvent) {
        var event = event
        event.dropped = self.droppedEvents
        self.droppedEvents = 0
        self.counts.observed += 1
        if let message = event.message {
            self.heard.hear(device: message.device, leg: message.leg, session: message.session)
        }
        self.write { event.write(to: &$0) }
    }

    // MARK: Requests of the gateway's own

    func call(_ promise: EventLoopPromise<RPCResponse>, _ line: (PluginRequestID) -> GatewayLine) {
        guard !self.isClosed else { return promise.fail(GatewayError(.unavailable, "the plugin has ended")) }
        let id = self.takeID()
        self.calls[id] = promise
        let request = line(.number(id))
        self.write(shownAs: request.hidingSecrets) { request.write(to: &$0) }
    }

    // MARK: Writing

    /// The number of bytes that the plugin has not read yet.
    var unread: Int { self.outgoing.readableBytes + self.inTransit }

    /// Writes a line at the end of the turn, or sooner.
    /// - Parameter shown: the line as traces show it, without secrets.
    func write(shownAs shown: GatewayLine? = nil, _ line: (inout ByteBuffer) -> Void) {
        let start = self.outgoing.writerIndex
        line(&self.outgoing)
        if self.traces.isActive { self.trace(from: start, shownAs: shown) }
        if self.outgoing.readableBytes >= PluginProtocol.batchLength, !self.isFlushing { return self.flush() }
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        // Few lines leave in one write at the end of the loop's turn.
        let wire = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.execute {
            wire.value.isFlushScheduled = false
            wire.value.flush()
        }
    }

    private func trace(from start: Int, shownAs shown: GatewayLine?) {
        guard let shown else { return self.traces.record(.toPlugin, self.outgoing, from: start) }
        var line = ByteBuffer()
        shown.write(to: &line)
        self.traces.record(.toPlugin, line)
    }

    private func flush() {
        guard self.outgoing.readableBytes > 0, let transport else { return }
        var lines = self.outgoing
        self.outgoing = self.spare
        self.spare = ByteBuffer()
        self.inTransit += lines.readableBytes
        self.isFlushing = true
        transport.write(lines)
        self.isFlushing = false
        // The same memory again, when the lines are with the plugin already.
        guard lines.capacity <= Self.spareLimit else { return }
        lines.clear()
        self.spare = lines
    }

    /// Notes that bytes are with the plugin, or lost.
    func written(_ count: Int) {
        self.inTransit -= count
        while self.unread < Self.eventOutputLimit, let event = self.events.popFirst() { self.write(event) }
    }

    // MARK: Reading, continued in PluginWire+Reading

    func received(_ bytes: ByteBuffer) {
        guard !self.endIfFlooded() else { return }
        self.splitter.append(bytes)
        while !self.isClosed, !self.isGivenUp, let piece = self.splitter.next() { self.take(piece) }
        let limit = PluginProtocol.maximumUnfinishedLength
        if self.splitter.unfinishedLength > limit { self.giveUp("a line without an end") }
    }

    /// Has the plugin ended. Until it is, its lines are discarded unread.
    func giveUp(_ reason: String) {
        guard !self.isGivenUp else { return }
        self.isGivenUp = true
        self.splitter = LineSplitter()
        self.observer?.misbehaved(reason)
    }

    // MARK: The end

    /// The wire is cut: everything in flight fails at once.
    func closed(_ reason: String) {
        guard !self.isClosed else { return }
        self.isClosed = true
        let items = self.messages.removeAll()
        self.events = []
        self.counts.lost += items.count
        for item in items { self.fail(item, .handlerFailed, reason) }
        self.sendDrain.take()?()
        for item in self.operations.removeAll() { item.promise.fail(GatewayError(.unavailable, reason)) }
        self.callBackWhenIdle()
        let calls = self.calls.values
        self.calls = [:]
        for promise in calls { promise.fail(GatewayError(.unavailable, reason)) }
        self.traces.finish()
        self.transport = nil
        self.observer?.closed(reason)
    }
}
