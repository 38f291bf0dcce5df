public import CastWire
public import HandlerKit
public import Logging
public import NIOCore

/// Takes every message of one virtual device to the handlers that claim its namespace, on the device's event loop.
///
/// 1. The chain of a namespace and direction comes from the registry's table; it is cached until the table changes. With an
///    empty chain the message is forwarded at once, which is the way of most messages.
/// 2. Filters see the message first, in order; each may change or refuse it.
/// 3. Candidates are asked, the most specific claim first, until one decides; else `routing.default` does. The gateway's guard
///    judges the message before them, and again what a handler has changed or made.
/// 4. Observers receive a copy of what the candidates saw.
///
/// A handler that defers holds its flow: later messages of the flow wait in ``HeldFlows``, those of other flows go on. The
/// verdict comes back through the ``RouterHandle``, or the deadline passes and the claim's failure policy decides; then the
/// waiting messages are routed until one is deferred again. One timer serves all flows: it is set to the earliest deadline
/// that was seen. A handler that keeps failing is not asked for a while (``CircuitBreaker``).
///
/// Not thread-safe: everything, also the completion of a deferral, happens on the event loop.
public final class MessageRouter {
    let eventLoop: any EventLoop
    /// True while a handler looks at a message; a verdict that it gives meanwhile comes after its return.
    private(set) var isAsking = false

    let registry: HandlerRegistry
    let leg: MessageLeg
    private var settings: RouterSettings
    private let logger: Logger
    let executor: VerdictExecutor
    private var payloadText: PayloadText?
    /// Whether each message is logged; asked of the logger in every turn rather than for every message.
    public private(set) var isTracing: Bool
    private var chains: ChainCache
    private(set) var breakers = CircuitBreakers()
    private(set) var flows = HeldFlows()
    private var deadlineTimer: Scheduled<Void>?
    private var nextDeadlineCheck: NIODeadline?
    private var isFlushDue = false
    private var whenIdle: [() -> Void] = []
    /// Made for the first handler that is asked, and cleared by ``shutdown()``.
    private lazy var handle = RouterHandle(self)

    /// Makes the router of one virtual device, or of one session of the gateway's own. Its owner calls ``shutdown()`` in the end.
    /// - Parameters:
    ///   - device: the device's name, under which its messages are counted.
    ///   - leg: on which its messages are; each of them has a device of that leg.
    ///   - output: where messages go; nil when it comes by ``start(output:)``, before the first message.
    ///   - events: gets the messages of apps that go on, and those that handlers answer or keep.
    ///   - payloadText: renders payloads for the log; nil, as it should be, leaves them out.
    public init(
        device: String = "", leg: MessageLeg = .sender, registry: HandlerRegistry, settings: RouterSettings,
        eventLoop: any EventLoop,
        output: (any RouterOutput)? = nil, events: EventBus = EventBus(), logger: Logger,
        payloadText: PayloadText? = nil
    ) {
        self.registry = registry
        self.leg = leg
        self.chains = ChainCache(leg: leg)
        self.settings = settings
        self.eventLoop = eventLoop
        self.logger = logger
        self.executor = VerdictExecutor(
            device: device, output: output, events: events, eventLoop: eventLoop, logger: logger)
        self.payloadText = payloadText
        self.isTracing = logger.logLevel == .trace
        self.count(by: settings.metering)
    }

    // MARK: Life

    /// Begins to route. The output is held until ``shutdown()``.
    public func start(output: any RouterOutput) {
        self.executor.use(output)
    }

    /// Takes new values of `routing` and `log`; they count from the next message on.
    public func follow(_ settings: RouterSettings, payloadText: PayloadText?) {
        self.settings = settings
        self.payloadText = payloadText
        self.count(by: settings.metering)
    }

    /// Called when the messages of one turn were routed.
    public func turnEnded() {
        self.isTracing = self.logger.logLevel == .trace
    }

    /// Forgets the flows of a connection that is gone; what they held is not sent any more.
    public func connectionClosed(_ connection: ConnectionID) {
        for flow in self.flows.all where flow.key.connection == connection { self.abandon(flow) }
        self.callBackWhenIdle()
    }

    /// Calls back once no message is deferred: at once, or when the last one is decided.
    public func whenIdle(_ callback: @escaping () -> Void) {
        if self.flows.isEmpty { callback() } else { self.whenIdle.append(callback) }
    }

    /// Settles every deferral when the device goes away; later messages and verdicts go nowhere.
    public func shutdown() {
        for flow in self.flows.all { self.abandon(flow) }
        self.callBackWhenIdle()
        self.deadlineTimer?.cancel()
        self.nextDeadlineCheck = nil
        self.executor.use(nil)
        self.count(by: nil)
        self.handle.clear()
    }

    // MARK: Messages

    /// Returns true, and counts the message, when ``route(_:)`` would forward it as it is, without a handler or a subscriber of events
    /// that sees it. The caller then forwards it by itself, and need not make a ``RoutedMessage`` of it: most messages of apps are of
    /// this kind.
    public func forwardsUnseen(_ message: CastMessage, direction: MessageDirection) -> Bool {
        let names = message.names
        guard !self.isTracing, !self.executor.demand.wants(names), self.flows.isEmpty, self.payloadText == nil,
            self.settings.defaultAction == .forward || direction == .toSender,
            self.executor.output != nil, self.chain(of: names, direction).isEmpty
        else { return false }
        self.executor.meter?.forwarded(message, direction)
        return true
    }

    /// Routes one message. It is decided on return, unless a handler deferred it or an earlier one of its flow.
    public func route(_ routed: RoutedMessage) {
        self.eventLoop.assertInEventLoop()
        guard self.executor.output != nil else { return }
        if self.isTracing { self.logger.trace("Routing", metadata: routed.logMetadata) }
        if let text = self.payloadText?(routed.message.payload) {
            self.logger.debug("Message", metadata: routed.logMetadata.merging(["payload": "\(text)"]) { $1 })
        }
        if !self.flows.isEmpty, let flow = self.flows[routed.flow] {
            if !self.flows.append(routed, to: flow, limits: self.settings) { self.executor.overflow(routed) }
            return
        }
        let chain = self.chain(of: routed.message.names, routed.direction)
        guard !chain.isEmpty else { return self.executor.applyDefault(self.settings.defaultAction, to: routed) }
        self.proceed(self.begin(routed, chain))
    }

    func chain(of names: MessageNames, _ direction: MessageDirection) -> HandlerTable.Chain {
        self.chains.chain(for: names, direction: direction, in: self.registry) { self.breakers.keep($0) }
    }

    private func begin(
        _ routed: RoutedMessage, _ chain: HandlerTable.Chain, behind flow: HeldFlow? = nil
    ) -> ChainTraversal {
        var routed = routed
        let transport = routed.transport
        if !chain.isEmpty { routed.peek { self.executor.output?.session(at: transport) } }
        return ChainTraversal(routed, chain: chain, flow: flow)
    }

    /// Asks the handlers that are left. Returns false when the flow has to wait.
    @discardableResult
    private func proceed(_ traversal: ChainTraversal) -> Bool {
        while let entry = traversal.nextEntry() {
            if entry.claim.phase == .handle, !self.executor.admit(traversal) { return true }
            guard self.breakers.allowsCall(of: entry, at: self.eventLoop.now) else {
                self.executor.meter?.suspended(entry)
                if self.applyFailurePolicy(traversal, entry) { return true }
                continue
            }
            do {
                let deadline = self.settings.deadline(of: entry.claim)
                let verdict = try self.ask(entry, about: traversal, within: deadline)
                if case .deferred(let time) = verdict.disposition {
                    guard traversal.deferral != nil else {
                        throw GatewayError(.handlerFailed, "deferred without a deferral")
                    }
                    self.hold(traversal, entry, within: time ?? deadline)
                    self.perform(verdict, for: traversal, traversal.routed)
                    return false
                }
                traversal.settle()
                if try self.apply(verdict, of: entry, to: traversal) { return true }
            } catch {
                traversal.settle()
                if self.fail(traversal, entry, error) { return true }
            }
        }
        guard self.executor.admit(traversal) else { return true }
        self.observe(traversal)
        self.executor.applyDefault(self.settings.defaultAction, to: traversal.routed)
        return true
    }

    /// Has a handler look at a message.
    private func ask(
        _ entry: HandlerTable.Entry, about traversal: ChainTraversal, within deadline: Duration
    ) throws -> Verdict {
        let wasAsking = self.isAsking
        self.isAsking = true
        defer { self.isAsking = wasAsking }
        let context = HandlerContext(
            entry, of: traversal, deadline: deadline, logger: self.logger, router: self.handle)
        return try self.measured(entry, about: traversal) { try entry.handler.handle($0, in: context) }
    }

    // MARK: Verdicts

    /// Carries a verdict out. Returns true when the message goes to no further handler.
    private func apply(_ verdict: Verdict, of entry: HandlerTable.Entry, to traversal: ChainTraversal) throws -> Bool {
        let isFilter = entry.claim.phase == .filter
        let routed = traversal.routed
        if verdict.effects.contains(where: \.needsStore) {
            throw GatewayError(.handlerFailed, "an effect on a store, which plugins alone have")
        }
        var ended = true
        switch verdict.disposition {
        case .pass: ended = false
        case .rewrite(let payload) where isFilter:
            traversal.routed = routed.carrying(payload)
            ended = false
        case .handOver(let name, let payload) where isFilter:
            if let payload { traversal.routed = routed.carrying(payload) }
            try traversal.handOver(to: name, in: self.registry.table)
            ended = false
        case .forward(let payload) where !isFilter:
            guard let message = self.executor.forwardable(traversal, payload) else { break }
            self.observe(traversal)
            self.executor.forward(message)
        case .reply(let payload):
            self.executor.publish(routed)
            self.observe(traversal)
            self.executor.answer(routed, with: payload, judgedBy: traversal.chain.guardian)
        case .handled where !isFilter:
            self.executor.publish(routed)
            self.executor.meter?.count(routed, .handled)
            self.observe(traversal)
        case .reject(let rejection): self.executor.reject(routed, rejection, by: entry.handler.name)
        case .drop(let reason):
            self.executor.drop(routed, reason, by: entry.handler.name, level: isFilter ? .info : .debug)
        default:
            throw GatewayError(.handlerFailed, "a verdict that the phase \(entry.claim.phase.rawValue) does not allow")
        }
        self.breakers.succeeded(entry, at: self.eventLoop.now)
        self.perform(verdict, for: traversal, routed)
        return ended
    }

    private func perform(_ verdict: Verdict, for traversal: ChainTraversal, _ routed: RoutedMessage) {
        self.executor.perform(verdict.effects, for: routed, judgedBy: traversal.chain.guardian)
    }

    private func observe(_ traversal: ChainTraversal) {
        for entry in traversal.chain.observers
        where traversal.isWanted(by: entry) && self.breakers.allowsCall(of: entry, at: self.eventLoop.now) {
            do {
                let verdict = try self.ask(entry, about: traversal, within: .zero)
                self.breakers.succeeded(entry, at: self.eventLoop.now)
                self.perform(verdict, for: traversal, traversal.routed)
            } catch {
                self.countFailure(of: entry, error, traversal.routed)
            }
        }
    }

    /// Treats an error of a handler: a rejection refuses the message, anything else is a failure of the handler.
    /// Returns true when the message goes to no further handler.
    private func fail(_ traversal: ChainTraversal, _ entry: HandlerTable.Entry, _ error: any Error) -> Bool {
        if let rejection = error as? Rejection {
            self.breakers.succeeded(entry, at: self.eventLoop.now)
            self.executor.reject(traversal.routed, rejection, by: entry.handler.name)
            return true
        }
        self.countFailure(of: entry, error, traversal.routed)
        return self.applyFailurePolicy(traversal, entry)
    }

    /// Treats a message whose handler failed, or is not asked since it keeps failing, by the claim's policy.
    /// Returns true when the message goes to no further handler.
    private func applyFailurePolicy(_ traversal: ChainTraversal, _ entry: HandlerTable.Entry) -> Bool {
        guard entry.claim.onFailure ?? self.settings.onFailure == .closed else { return false }
        self.executor.reject(traversal.routed, .handlerFailed, by: entry.handler.name)
        return true
    }

    private func countFailure(of entry: HandlerTable.Entry, _ error: any Error, _ routed: RoutedMessage) {
        self.executor.countFailure(of: entry.handler.name, error, routed)
        guard self.breakers.failed(entry, at: self.eventLoop.now) else { return }
        self.executor.suspended(entry.handler.name, device: routed.device.name)
    }

    // MARK: Deferred messages

    private func hold(_ traversal: ChainTraversal, _ entry: HandlerTable.Entry, within time: Duration) {
        let deadline = self.eventLoop.now + TimeAmount(time)
        if let flow = traversal.flow {
            // The flow was given up while the handler was asked: a verdict would go nowhere.
            guard self.flows.contains(flow) else {
                traversal.settle()
                self.breakers.abandoned(entry, at: self.eventLoop.now)
                return
            }
            flow.hold(traversal, until: deadline)
        } else {
            let flow = HeldFlow(traversal.routed.flow, holding: traversal, until: deadline)
            traversal.flow = flow
            self.flows.insert(flow)
        }
        self.watch(deadline)
    }

    /// Takes the verdict on a deferred message, or another deadline for it.
    func take(_ notice: Deferral.Notice, of deferral: Deferral) {
        let traversal = deferral.traversal.value
        // A notice that comes late finds another deferral, or none.
        guard traversal.deferral === deferral, let flow = traversal.flow, flow.isHeld(by: traversal) else { return }
        switch notice {
        case .outcome(let result): self.complete(flow, traversal, result)
        case .moreTime(let time):
            let deadline = self.eventLoop.now + TimeAmount(time)
            flow.hold(traversal, until: deadline)
            self.watch(deadline)
        }
    }

    private func complete(_ flow: HeldFlow, _ traversal: ChainTraversal, _ result: Result<Verdict, any Error>) {
        guard let entry = traversal.entry else { return }
        flow.release()
        self.measureDeferred(entry, about: traversal)
        traversal.deferral = nil
        var ended: Bool
        do {
            let verdict = try result.get()
            if case .deferred = verdict.disposition { throw GatewayError(.handlerFailed, "deferred twice") }
            ended = try self.apply(verdict, of: entry, to: traversal)
        } catch {
            ended = self.fail(traversal, entry, error)
        }
        if !ended { ended = self.proceed(traversal) }
        if ended { self.drain(flow) }
        self.flushSoon()
        self.callBackWhenIdle()
    }

    /// Routes the messages that wait in a flow, until one is deferred again or none is left.
    private func drain(_ flow: HeldFlow) {
        // The flow may be given up meanwhile.
        while self.flows.contains(flow) {
            guard let next = self.flows.popFirst(of: flow) else { return self.flows.remove(flow) }
            let chain = self.chain(of: next.message.names, next.direction)
            guard self.proceed(self.begin(next, chain, behind: flow)) else { return }
        }
    }

    private func abandon(_ flow: HeldFlow) {
        self.executor.meter?.flowClosed(flow)
        self.flows.remove(flow)
        guard let traversal = flow.release() else { return }
        traversal.settle()
        if let entry = traversal.entry { self.breakers.abandoned(entry, at: self.eventLoop.now) }
    }

    /// Messages that are decided in one turn of the event loop leave together.
    private func flushSoon() {
        guard !self.isFlushDue else { return }
        self.isFlushDue = true
        self.eventLoop.execute { [handle = self.handle] in
            handle.router?.isFlushDue = false
            handle.router?.executor.output?.flush()
        }
    }

    private func callBackWhenIdle() {
        guard self.flows.isEmpty, !self.whenIdle.isEmpty else { return }
        // A waiting caller may be about to close the connection that the last verdict is still to leave by.
        self.executor.output?.flush()
        let callbacks = self.whenIdle
        self.whenIdle = []
        for callback in callbacks { callback() }
    }

    // MARK: Deadlines

    /// Sets the timer, unless it fires before this deadline anyway.
    private func watch(_ deadline: NIODeadline) {
        if let next = self.nextDeadlineCheck, next <= deadline { return }
        self.deadlineTimer?.cancel()
        self.nextDeadlineCheck = deadline
        self.deadlineTimer = self.eventLoop.scheduleTask(deadline: deadline) { [handle = self.handle] in
            handle.router?.checkDeadlines()
        }
    }

    private func checkDeadlines() {
        self.nextDeadlineCheck = nil
        let now = self.eventLoop.now
        for flow in self.flows.due(at: now) {
            // A verdict that was given in time on another thread may still be on its way here.
            guard let traversal = flow.held, let entry = traversal.entry, traversal.deferral?.settle() ?? false else {
                continue
            }
            let late = GatewayError(.handlerTimedOut, "'\(entry.handler.name)' missed its deadline")
            self.complete(flow, traversal, .failure(late))
        }
        if let next = self.flows.nextDeadline { self.watch(max(next, now + HeldFlows.deadlineGrain)) }
    }
}
