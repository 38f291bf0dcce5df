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
    let registry: HandlerRegistry
    private(set) var settings: RouterSettings
    let eventLoop: any EventLoop
    let logger: Logger
    /// Not weak or unowned: every message would pay for the check.
    private(set) var output: (any RouterOutput)?
    private var payloadText: PayloadText?
    /// Whether each message is logged; asked of the logger in every turn rather than for every message.
    private var isTracing: Bool

    var flows: [FlowKey: Flow] = [:]
    /// One timer for all flows: set to the earliest deadline that was seen, and looked at when it fires.
    var deadlineTimer: Scheduled<Void>?
    var nextDeadlineCheck: NIODeadline?
    /// True while a handler looks at a message; a verdict that it gives meanwhile comes after its return.
    private(set) var isAsking = false
    var isFlushDue = false
    private(set) lazy var courier = VerdictCourier(to: self)
    var breakers: [UInt64: CircuitBreaker] = [:]
    var budget = WaitingBudget()
    private var chains = ChainCache()
    var whenIdle: [() -> Void] = []
    var rejectionLog = LogThrottle<String?>(linesPerWindow: 20)
    /// How many flows wait behind a deferred message.
    public var heldFlowCount: Int { self.flows.count }
    /// How many messages were refused or dropped, by reason.
    public internal(set) var counts = RoutingCounts()

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
        guard self.output != nil else { return }
        if self.isTracing { self.logger.trace("Routing", metadata: routed.logMetadata) }
        if let text = self.payloadText?(routed.message.payload) {
            self.logger.debug("Message", metadata: routed.logMetadata.merging(["payload": "\(text)"]) { $1 })
        }
        if !self.flows.isEmpty, let flow = self.flows[routed.flow] {
            if !flow.append(routed, limits: self.settings, budget: &self.budget) { self.overflow(routed) }
            return
        }
        let chain = self.chain(of: routed.message.names, routed.direction)
        if chain.isEmpty { self.applyDefault(routed) } else { self.proceed(self.begin(routed, chain)) }
    }

    /// Forgets the flows of a connection that is gone; what they held is not sent any more.
    public func connectionClosed(_ connection: ConnectionID) {
        for flow in self.flows.values where flow.key.connection == connection { self.abandon(flow) }
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
        for flow in self.flows.values { self.abandon(flow) }
        self.callBackWhenIdle()
        self.deadlineTimer?.cancel()
        self.nextDeadlineCheck = nil
        self.output = nil
    }

    func begin(_ routed: RoutedMessage, _ chain: HandlerTable.Chain, behind flow: Flow? = nil) -> Journey {
        var routed = routed
        let transport = routed.transport
        if !chain.isEmpty { routed.look { self.output?.session(at: transport) } }
        return Journey(routed, chain: chain, flow: flow)
    }

    func chain(of names: MessageNames, _ direction: MessageDirection) -> HandlerTable.Chain {
        self.chains.chain(for: names, direction: direction, in: self.registry) { table in
            // A new table: breakers of claims that are gone are not needed any more.
            let alive = Set(table.entries.map(\.id))
            self.breakers = self.breakers.filter { alive.contains($0.key) }
        }
    }

    /// Asks the handlers that are left. Returns false when the flow has to wait.
    @discardableResult
    func proceed(_ journey: Journey) -> Bool {
        while let entry = journey.nextEntry() {
            guard self.allowsCall(entry) else {
                if self.fail(journey, entry, nil) { return true }
                continue
            }
            do {
                let verdict = try self.ask(entry, about: journey, within: self.settings.deadline(of: entry.claim))
                if verdict.disposition == .deferred {
                    guard journey.deferral != nil else {
                        throw GatewayError(.handlerFailed, "deferred without a deferral")
                    }
                    self.hold(journey, entry)
                    self.perform(verdict.effects, for: journey.routed)
                    return false
                }
                journey.settle()
                if try self.apply(verdict, of: entry, to: journey) { return true }
            } catch {
                journey.settle()
                if self.fail(journey, entry, error) { return true }
            }
        }
        self.observe(journey)
        self.applyDefault(journey.routed)
        return true
    }

    /// Has a handler look at a message.
    func ask(_ entry: HandlerTable.Entry, about journey: Journey, within deadline: Duration) throws -> Verdict {
        let wasAsking = self.isAsking
        self.isAsking = true
        defer { self.isAsking = wasAsking }
        let context = HandlerContext(
            entry, of: journey, deadline: deadline, logger: self.logger, courier: self.courier)
        return try entry.handler.handle(journey.routed, in: context)
    }
}
