public import CastWire
public import Logging
public import NIOCore

/// Takes every message of one virtual device to the handlers that claim its namespace, on the device's event loop.
///
/// 1. Filters see it first, in order; each may change or refuse it.
/// 2. Candidates are asked, the most specific claim first, until one decides; else `routing.default` does.
/// 3. Observers receive a copy of what the candidates saw.
///
/// A deferred message holds back the later ones of its flow and nothing else. Not thread-safe: everything, also
/// the completion of a deferral, happens on the event loop.
public final class MessageRouter {
    /// What timers and deferrals know: the router dies with its owner, and whatever comes later is ignored.
    private struct WeakRouter {
        weak var router: MessageRouter?
    }

    let registry: HandlerRegistry
    private var settings: RouterSettings
    let eventLoop: any EventLoop
    let logger: Logger
    /// Not weak or unowned: every message would pay for the check.
    private var output: (any RouterOutput)?
    private var payloadText: PayloadText?
    /// Whether each message is logged; asked of the logger in every turn rather than for every message.
    private var isTracing: Bool

    private var flows: [FlowKey: Flow] = [:]
    private(set) var breakers: [UInt64: CircuitBreaker] = [:]
    private var budget = WaitingBudget()
    private var chains = ChainCache()
    private var nextToken: UInt64 = 0
    private var whenIdle: [() -> Void] = []
    private var rejectionLog = LogThrottle<String?>(linesPerWindow: 20)
    /// How many flows wait behind a deferred message.
    public var heldFlowCount: Int { self.flows.count }
    /// How many messages were refused or dropped, by reason.
    public private(set) var counts = RoutingCounts()

    /// A payload as text for the log, with its secrets hidden.
    public typealias PayloadText = @Sendable (CastMessage.Payload) -> String?

    /// Makes the router of one virtual device.
    /// - Parameters:
    ///   - output: owns the router; nil when it comes by ``start(output:)``, before the first message.
    ///   - payloadText: renders payloads for the log; nil, as it should be, leaves them out.
    public init(
        registry: HandlerRegistry, settings: RouterSettings, eventLoop: any EventLoop,
        output: (any RouterOutput)? = nil, logger: Logger, payloadText: PayloadText? = nil
    ) {
        self.registry = registry
        self.settings = settings
        self.eventLoop = eventLoop
        self.logger = logger
        self.output = output
        self.payloadText = payloadText
        self.isTracing = logger.logLevel == .trace
    }

    /// Begins to route. The output is held until ``shutdown()``.
    public func start(output: any RouterOutput) {
        self.output = output
    }

    /// Takes what `routing` and `log` say now; counts from the next message on.
    public func follow(_ settings: RouterSettings, payloadText: PayloadText?) {
        self.settings = settings
        self.payloadText = payloadText
    }

    /// Called when the messages of one turn were routed.
    public func turnEnded() {
        self.isTracing = self.logger.logLevel == .trace
    }

    /// Whether ``route(_:)`` would forward a message as it is without asking anybody. Most messages of apps are claimed by
    /// nobody; whoever asks here first need not wrap them up.
    public func forwardsUnseen(_ names: MessageNames, direction: MessageDirection) -> Bool {
        !self.isTracing && self.flows.isEmpty && self.payloadText == nil && self.output != nil
            && (self.settings.defaultAction == .forward || direction == .toSender)
            && self.chain(of: names, direction).isEmpty
    }

    /// Routes one message. It is decided on return, unless a handler deferred it or an earlier one of its flow.
    public func route(_ routed: RoutedMessage) {
        self.eventLoop.assertInEventLoop()
        if self.isTracing { self.logger.trace("Routing", metadata: routed.logMetadata) }
        if let text = self.payloadText?(routed.message.payload) {
            self.logger.debug("Message", metadata: routed.logMetadata.merging(["payload": "\(text)"]) { $1 })
        }
        if !self.flows.isEmpty, self.flows[routed.flow] != nil {
            let isTaken = self.flows[routed.flow]?.append(routed, limits: self.settings, budget: &self.budget) ?? false
            if !isTaken { self.overflow(routed) }
            return
        }
        let chain = self.chain(of: routed.message.names, routed.direction)
        if chain.isEmpty { self.applyDefault(routed) } else { self.proceed(self.begin(routed, chain)) }
    }

    /// Forgets the flows of a connection that is gone; what they held is not sent any more.
    public func connectionClosed(_ connection: ConnectionID) {
        for key in self.flows.keys where key.connection == connection { self.abandon(key) }
        self.callBackWhenIdle()
    }

    /// Counts a message that was not routed since it follows from too many others.
    public func countLoop() {
        self.counts.countDropped(GatewayError.Code.messageLoop.description)
    }

    /// Calls back once no message is deferred: at once, or when the last one is decided.
    public func whenIdle(_ callback: @escaping () -> Void) {
        if self.flows.isEmpty { callback() } else { self.whenIdle.append(callback) }
    }

    /// Settles everything that waits, when the device goes away; what comes later goes nowhere.
    public func shutdown() {
        for key in self.flows.keys { self.abandon(key) }
        self.callBackWhenIdle()
        self.output = nil
    }

    private func abandon(_ key: FlowKey) {
        guard let flow = self.flows.removeValue(forKey: key) else { return }
        self.budget.remove(count: flow.waiting.count, bytes: flow.waitingBytes, for: key.connection)
        flow.held.timeout.cancel()
        flow.held.deferral.settle()
        self.breakers[flow.held.entry.id]?.abandoned(at: self.eventLoop.now)
    }

    private func begin(_ routed: RoutedMessage, _ chain: HandlerTable.Chain) -> Journey {
        var routed = routed
        let transport = routed.transport
        if !chain.isEmpty { routed.look { self.output?.session(at: transport) } }
        return Journey(routed, chain: chain)
    }

    private func chain(of names: MessageNames, _ direction: MessageDirection) -> HandlerTable.Chain {
        self.chains.chain(for: names, direction: direction, in: self.registry) { table in
            // A new table: breakers of claims that are gone are not needed any more.
            let alive = Set(table.entries.map(\.id))
            self.breakers = self.breakers.filter { alive.contains($0.key) }
        }
    }

    /// Asks the handlers that are left. Returns false when the flow has to wait.
    @discardableResult
    private func proceed(_ start: Journey) -> Bool {
        var journey = start
        while let entry = journey.nextEntry() {
            guard self.allowsCall(entry) else {
                if self.fail(&journey, entry, nil) { return true }
                continue
            }
            var deferral: Deferral?
            let token = self.nextToken
            let flow = journey.flow
            let context = HandlerContext(
                entry, deadline: self.settings.deadline(of: entry.claim), logger: self.logger
            ) {
                let made = deferral ?? self.makeDeferral(token: token, flow: flow)
                deferral = made
                return made
            }
            self.nextToken += 1
            do {
                let verdict = try entry.handler.handle(journey.routed, in: context)
                if verdict.disposition == .deferred {
                    guard let deferral else { throw GatewayError(.handlerFailed, "deferred without a deferral") }
                    self.hold(journey, entry, deferral, token: token)
                    self.perform(verdict.effects, for: journey.routed)
                    return false
                }
                deferral?.settle()
                if try self.apply(verdict, of: entry, to: &journey) { return true }
            } catch {
                deferral?.settle()
                if self.fail(&journey, entry, error) { return true }
            }
        }
        self.observe(journey)
        self.applyDefault(journey.routed)
        return true
    }

    // MARK: Verdicts

    /// Carries a verdict out. Returns true when the journey has ended.
    private func apply(_ verdict: Verdict, of entry: HandlerTable.Entry, to journey: inout Journey) throws -> Bool {
        let isFilter = entry.claim.phase == .filter
        let routed = journey.routed
        var ended = true
        switch verdict.disposition {
        case .pass: ended = false
        case .rewrite(let message) where isFilter:
            // Another namespace has other owners; a message that belongs elsewhere is sent there as an effect.
            guard message.namespace == routed.message.namespace else {
                throw GatewayError(.handlerFailed, "a filter may not change the namespace")
            }
            journey.routed = routed.carrying(message)
            ended = false
        case .forward(let message) where !isFilter:
            self.observe(journey)
            self.output?.forward(message.map(routed.carrying) ?? routed)
        case .reply(let payload) where !isFilter:
            self.observe(journey)
            self.answer(routed.message.reply(payload), to: routed)
        case .handled where !isFilter: self.observe(journey)
        case .reject(let rejection): self.reject(routed, rejection, by: entry.handler.name)
        case .drop(let reason):
            self.counts.countDropped(reason)
            self.logger.debug("Dropped", metadata: routed.logMetadata(handler: entry.handler.name, reason: reason))
        default:
            throw GatewayError(.handlerFailed, "a verdict that the phase \(entry.claim.phase.rawValue) does not allow")
        }
        self.breakers[entry.id]?.succeeded(at: self.eventLoop.now)
        self.perform(verdict.effects, for: routed)
        return ended
    }

    private func applyDefault(_ routed: RoutedMessage) {
        // What the device says is never held back for want of a handler.
        if self.settings.defaultAction == .forward || routed.direction == .toSender {
            self.output?.forward(routed)
        } else {
            self.reject(routed, .notSupported, by: "routing.default")
        }
    }

    private func observe(_ journey: Journey) {
        for entry in journey.chain.observers where journey.isWanted(by: entry) && self.allowsCall(entry) {
            let context = HandlerContext(entry, deadline: .zero, logger: self.logger) {
                Deferral(deliver: { _ in })
            }
            do {
                let verdict = try entry.handler.handle(journey.routed, in: context)
                self.breakers[entry.id]?.succeeded(at: self.eventLoop.now)
                self.perform(verdict.effects, for: journey.routed)
            } catch {
                self.countFailure(of: entry, error, journey.routed)
            }
        }
    }

    private func perform(_ effects: [Effect], for routed: RoutedMessage) {
        for effect in effects {
            switch effect {
            case .sendToSenders(let message):
                self.output?.sendToSenders(message, connection: routed.connection)
            case .sendToReceiver(let message):
                self.output?.sendToReceiver(message, connection: routed.connection)
            case .emit(let event): self.output?.emit(event)
            }
        }
    }

    private func reject(
        _ routed: RoutedMessage, _ rejection: Rejection, by handler: String, level: Logger.Level = .info
    ) {
        self.counts.countRejected(rejection.reason)
        var metadata = routed.logMetadata(handler: handler, reason: rejection.reason)
        let level = self.rejectionLog.level(
            level, for: routed.senderAddress, at: self.eventLoop.now, metadata: &metadata)
        self.logger.log(level: level, "Rejected", metadata: metadata)
        self.output?.emit(.messageRejected(device: routed.device.name, handler: handler, reason: rejection.reason))
        guard let answer = rejection.answer(to: routed.message, routed.summary) else { return }
        switch routed.direction {
        case .toReceiver: self.output?.sendToSenders(answer, connection: routed.connection)
        case .toSender where routed.message.destination != .broadcast:
            // What was refused answers a sender's request, so it is the sender who waits, never the device.
            self.output?.sendToSenders(answer.reply(answer.payload), connection: routed.connection)
        case .toSender: break
        }
    }

    private func answer(_ message: CastMessage, to routed: RoutedMessage) {
        switch routed.direction {
        case .toReceiver: self.output?.sendToSenders(message, connection: routed.connection)
        case .toSender: self.output?.sendToReceiver(message, connection: routed.connection)
        }
    }

    private func overflow(_ routed: RoutedMessage) {
        if self.counts.overflowed == 0 {
            self.logger.warning("A flow is full behind a slow handler", metadata: routed.logMetadata)
        }
        self.counts.overflowed += 1
        self.reject(routed, .overloaded, by: "router", level: .debug)
    }

    // MARK: Deferrals

    private func makeDeferral(token: UInt64, flow: FlowKey) -> Deferral {
        let router = NIOLoopBound(WeakRouter(router: self), eventLoop: self.eventLoop)
        return Deferral { [eventLoop = self.eventLoop] notice in
            eventLoop.execute {
                switch notice {
                case .outcome(let result): router.value.router?.complete(flow, token: token, result)
                case .moreTime(let time): router.value.router?.extendDeadline(of: flow, token: token, to: time)
                }
            }
        }
    }

    private func hold(_ journey: Journey, _ entry: HandlerTable.Entry, _ deferral: Deferral, token: UInt64) {
        let key = journey.flow
        let timeout = self.scheduleTimeout(
            of: key, token: token, deferral, entry, in: self.settings.deadline(of: entry.claim))
        let held = Flow.Held(journey: journey, entry: entry, deferral: deferral, timeout: timeout, token: token)
        if self.flows[key] == nil { self.flows[key] = Flow(held: held) } else { self.flows[key]?.held = held }
    }

    private func scheduleTimeout(
        of key: FlowKey, token: UInt64, _ deferral: Deferral, _ entry: HandlerTable.Entry, in time: Duration
    ) -> Scheduled<Void> {
        let router = NIOLoopBound(WeakRouter(router: self), eventLoop: self.eventLoop)
        return self.eventLoop.scheduleTask(in: TimeAmount(time)) {
            guard let router = router.value.router, router.flows[key]?.held.token == token else { return }
            // A verdict that was given in time from another thread may still be on its way here.
            guard deferral.settle() else { return }
            let late = GatewayError(.handlerTimedOut, "'\(entry.handler.name)' missed its deadline")
            router.complete(key, token: token, .failure(late))
        }
    }

    private func extendDeadline(of key: FlowKey, token: UInt64, to time: Duration) {
        guard let held = self.flows[key]?.held, held.token == token else { return }
        held.timeout.cancel()
        self.flows[key]?.held.timeout = self.scheduleTimeout(
            of: key, token: token, held.deferral, held.entry, in: time)
    }

    private func complete(_ key: FlowKey, token: UInt64, _ result: Result<Verdict, any Error>) {
        guard let held = self.flows[key]?.held, held.token == token else { return }
        held.timeout.cancel()
        var journey = held.journey
        var ended: Bool
        do {
            let verdict = try result.get()
            guard verdict.disposition != .deferred else { throw GatewayError(.handlerFailed, "deferred twice") }
            ended = try self.apply(verdict, of: held.entry, to: &journey)
        } catch {
            ended = self.fail(&journey, held.entry, error)
        }
        if !ended { ended = self.proceed(journey) }
        if ended { self.drain(key, token: token) }
        self.output?.flush()
        self.callBackWhenIdle()
    }

    private func callBackWhenIdle() {
        guard self.flows.isEmpty else { return }
        let callbacks = self.whenIdle
        self.whenIdle = []
        for callback in callbacks { callback() }
    }

    /// Routes what waited, until something is deferred again or nothing is left.
    private func drain(_ key: FlowKey, token: UInt64) {
        // Another token means that the flow was given up and began anew meanwhile.
        while self.flows[key]?.held.token == token {
            guard let next = self.flows[key]?.popFirst(budget: &self.budget) else {
                self.flows[key] = nil
                return
            }
            guard self.proceed(self.begin(next, self.chain(of: next.message.names, next.direction))) else { return }
        }
    }

    // MARK: Failures

    private func allowsCall(_ entry: HandlerTable.Entry) -> Bool {
        self.breakers[entry.id]?.allowsCall(at: self.eventLoop.now) ?? true
    }

    /// Treats a miss by the claim's policy; `error` is nil when the breaker kept the handler from being asked.
    /// Returns true when the journey has ended.
    private func fail(_ journey: inout Journey, _ entry: HandlerTable.Entry, _ error: (any Error)?) -> Bool {
        if let error { self.countFailure(of: entry, error, journey.routed) }
        guard entry.claim.onFailure ?? self.settings.onFailure == .closed else { return false }
        self.reject(journey.routed, .handlerFailed, by: entry.handler.name)
        return true
    }

    private func countFailure(of entry: HandlerTable.Entry, _ error: any Error, _ routed: RoutedMessage) {
        let name = entry.handler.name
        self.counts.failures += 1
        self.logger.warning("A handler failed", metadata: routed.logMetadata(handler: name, reason: "\(error)"))
        let now = self.eventLoop.now
        guard self.breakers[entry.id, default: CircuitBreaker(at: now)].failed(at: now) else { return }
        self.logger.warning(
            "A handler keeps failing and is not asked for a while", metadata: ["handler": "\(name)"])
        self.output?.emit(.handlerSuspended(device: routed.device.name, handler: name))
    }
}
