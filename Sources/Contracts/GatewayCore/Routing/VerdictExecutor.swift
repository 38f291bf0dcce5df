public import CastWire
package import Logging
import NIOCore

/// Where a router hands what it decided; implemented by the virtual device, and by the gateway's own session, called on its event
/// loop.
public protocol RouterOutput: AnyObject {
    /// Hands a message to the peer: the target, or the sender or senders that it is addressed to.
    func forward(_ message: RoutedMessage)

    /// Hands a message to a sender: the end on this channel, or with destination `*` all connected to its source.
    func sendToSenders(_ message: CastMessage, connection: ConnectionID?)

    /// Hands a message to the target as if it came from a sender on this channel.
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?)

    /// The app behind a transport id, as far as known; asked when a handler is going to see the message.
    func session(at transport: EndpointID) -> SessionFacts?

    /// What runs behind the device; asked when a handler wants to know. ``RunningApps/unknown`` unless implemented.
    var running: RunningApps { get }

    /// The CONNECT by which the sender of a message introduced itself on its channel; asked when a handler wants to know. Nil
    /// unless implemented.
    func connect(of message: CastMessage, on connection: ConnectionID) -> CastMessage?

    /// Publishes an event.
    func emit(_ event: GatewayEvent)

    /// Called when messages were handed over outside a read of a connection, so that they leave at once.
    func flush()
}

extension RouterOutput {
    /// Nothing is known.
    public var running: RunningApps { .unknown }

    /// No sender is known.
    public func connect(of message: CastMessage, on connection: ConnectionID) -> CastMessage? { nil }
}

/// How many messages a router has refused and dropped since it was made, and how often handlers failed.
public struct RoutingCounts: Hashable, Sendable {
    /// Reasons beyond this many are counted together, as `other`: handlers may invent them.
    private static let maximumReasons = 64

    /// Messages refused, by the reason on the wire.
    public private(set) var rejected: [String: Int] = [:]
    /// Messages discarded, by the handler's reason.
    public private(set) var dropped: [String: Int] = [:]
    /// Messages refused because their flow was full.
    public fileprivate(set) var overflowed = 0
    /// Calls of handlers that threw, were late, or gave an impossible verdict.
    public fileprivate(set) var failures = 0

    fileprivate mutating func countRejected(_ reason: String) {
        Self.count(reason, in: &self.rejected)
    }

    fileprivate mutating func countDropped(_ reason: String) {
        Self.count(reason, in: &self.dropped)
    }

    private static func count(_ reason: String, in counts: inout [String: Int]) {
        let isKnown = counts[reason] != nil || counts.count < Self.maximumReasons
        counts[isKnown ? reason : "other", default: 0] += 1
    }
}

/// Does what the router decided: hands messages to the output, tells senders of refusals, runs effects, and counts and logs
/// every message that does not go on. For the router's event loop.
///
/// The output may call the router again before a method here returns, so nothing is held open across such a call.
final class VerdictExecutor {
    /// Not weak or unowned: every message would pay for the check.
    private(set) var output: (any RouterOutput)?
    private(set) var counts = RoutingCounts()
    /// What becomes of each message is counted by; nil when it is not counted.
    var meter: MessageMeter?
    var metering: MessageMetering?
    let device: String
    let events: EventBus
    /// Which messages of apps events are made of.
    let demand: MessageDemand
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var refusalLog = LogThrottle<String?>(linesPerWindow: 20)

    init(
        device: String, output: (any RouterOutput)?, events: EventBus, eventLoop: any EventLoop, logger: Logger
    ) {
        self.device = device
        self.output = output
        self.events = events
        self.demand = events.demand
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// Takes another output, or none.
    func use(_ output: (any RouterOutput)?) { self.output = output }

    // MARK: Messages

    /// Lets a message go on, and publishes it when it is an app's own.
    func forward(_ routed: RoutedMessage) {
        self.publish(routed)
        self.meter?.count(routed, .forwarded)
        self.output?.forward(routed)
    }

    /// Publishes an app's own message that goes on, or that a handler has answered or kept; one that is refused or dropped is no
    /// message of the channel.
    func publish(_ routed: RoutedMessage) {
        guard routed.message.family == .custom, self.demand.wants(routed.message.names) else { return }
        self.events.publish(
            .channelMessage(
                device: routed.device.name, message: routed.message, direction: routed.direction,
                via: routed.device.via))
    }

    /// Does what `routing.default` says with a message that no handler has decided about.
    func applyDefault(_ action: RouterSettings.Default, to routed: RoutedMessage) {
        // A message of the device is never held back for want of a handler.
        if action == .forward || routed.direction == .toSender {
            self.forward(routed)
        } else {
            self.reject(routed, .notSupported, by: "routing.default")
        }
    }

    /// Answers a message with a payload, ends swapped.
    /// - Parameter guardian: what judges the answer; nil for one of the gateway's own.
    func answer(
        _ routed: RoutedMessage, with payload: CastMessage.Payload, judgedBy guardian: (any MessageGuard)?
    ) {
        self.meter?.count(routed, .replied)
        let direction: MessageDirection = routed.direction == .toReceiver ? .toSender : .toReceiver
        let answer = routed.message.reply(payload)
        guard let answer = self.admitted(answer, direction, from: routed, by: guardian) else { return }
        switch direction {
        case .toSender: self.output?.sendToSenders(answer, connection: routed.connection)
        case .toReceiver: self.output?.sendToReceiver(answer, connection: routed.connection)
        }
    }

    /// Runs effects in order. Messages too large for a channel are left out, and those that the guard does not let go on.
    func perform(_ effects: [Effect], for routed: RoutedMessage, judgedBy guardian: (any MessageGuard)?) {
        for effect in effects {
            switch effect {
            case .emit(let event, let data, _): self.output?.emit(.custom(name: event, data: data))
            case .log(let level, let text):
                self.logger.log(level: Logger.Level(level), "\(text)", metadata: routed.logMetadata)
            case .replyToSender, .broadcast, .sendToReceiver, .put, .delete:
                guard let message = routed.message(of: effect) else { continue }
                guard message.isSendable else {
                    self.logger.warning(
                        "An effect is no message: it is too large, or its namespace is none",
                        metadata: routed.logMetadata)
                    continue
                }
                var direction = MessageDirection.toSender
                if case .sendToReceiver = effect { direction = .toReceiver }
                guard let message = self.admitted(message, direction, from: routed, by: guardian) else { continue }
                if direction == .toReceiver {
                    self.output?.sendToReceiver(message, connection: routed.connection)
                } else {
                    self.output?.sendToSenders(message, connection: routed.connection)
                }
            }
        }
    }

    // MARK: The guard

    /// What refusals of the guard are logged and counted under.
    static let guardName = "castway guard"

    /// Has the guard judge a message as it stands, unless it has.
    /// - Returns: false when the message goes no further.
    func admit(_ traversal: ChainTraversal) -> Bool {
        guard traversal.chain.isGuarded, !traversal.isJudged else { return true }
        guard let message = self.judged(traversal.routed, by: traversal.chain.guardian) else { return false }
        traversal.routed = message
        traversal.isJudged = true
        return true
    }

    /// The message that goes on when an owner forwards it, judged by the guard.
    /// - Parameter payload: another payload; nil for the message as it stands.
    /// - Returns: nil when the message goes no further.
    func forwardable(_ traversal: ChainTraversal, _ payload: CastMessage.Payload?) -> RoutedMessage? {
        guard let payload else { return self.admit(traversal) ? traversal.routed : nil }
        let changed = traversal.routed.carrying(payload)
        return traversal.chain.isGuarded ? self.judged(changed, by: traversal.chain.guardian) : changed
    }

    /// A message as the guard lets it go on; nil, and its sender told, when it does not.
    private func judged(_ routed: RoutedMessage, by guardian: (any MessageGuard)?) -> RoutedMessage? {
        guard let guardian else { return routed }
        switch guardian.judge(routed) {
        case .pass: return routed
        case .change(let payload): return routed.carrying(payload)
        case .answer(let payload): self.answer(routed, with: payload, judgedBy: nil)
        case .reject(let rejection): self.reject(routed, rejection, by: Self.guardName)
        case .drop(let reason): self.drop(routed, reason, by: Self.guardName, level: .debug)
        }
        return nil
    }

    /// A message that a handler made, as the guard lets it go on; nil when it does not.
    private func admitted(
        _ message: CastMessage, _ direction: MessageDirection, from routed: RoutedMessage,
        by guardian: (any MessageGuard)?
    ) -> CastMessage? {
        guard let guardian, guardian.concerns(message.namespace, direction) else { return message }
        let made = RoutedMessage(
            message, direction: direction, device: routed.device, connection: routed.connection,
            senderAddress: routed.senderAddress, origin: routed.origin)
        switch guardian.judge(made) {
        case .pass: return message
        case .change(let payload): return made.carrying(payload).message
        case .answer: self.discard(made, "answered by the guard", by: Self.guardName, level: .info)
        case .reject(let rejection): self.discard(made, rejection.reason, by: Self.guardName, level: .info)
        case .drop(let reason): self.discard(made, reason, by: Self.guardName, level: .info)
        }
        return nil
    }

    // MARK: Refusals

    /// Refuses a message, and tells its sender if it waits for an answer.
    func reject(
        _ routed: RoutedMessage, _ rejection: Rejection, by handler: String, level: Logger.Level = .info
    ) {
        self.counts.countRejected(rejection.reason)
        self.meter?.count(routed, .rejected)
        self.logRefusal("Rejected", of: routed, by: handler, rejection.reason, rejection, at: level)
        self.output?.emit(
            .messageRejected(
                device: routed.device.name, handler: handler, reason: rejection.reason, address: routed.senderAddress))
        guard let answer = rejection.answer(to: routed.message, routed.summary) else { return }
        switch routed.direction {
        case .toReceiver: self.output?.sendToSenders(answer, connection: routed.connection)
        // To the gateway's own session an app speaks by itself, unless it answers a caller.
        case .toSender where routed.leg == .own && routed.origin == nil:
            // What an app says of its media is the answer to a request of the gateway's own, which has no caller here.
            if routed.message.namespace != .media { self.output?.sendToReceiver(answer, connection: nil) }
        case .toSender where routed.leg == .own || routed.message.destination != .broadcast:
            // The refused message answers a sender's request: the sender waits, not the device.
            self.output?.sendToSenders(answer.reply(answer.payload), connection: routed.connection)
        case .toSender: break
        }
    }

    /// Discards a message without an answer.
    func drop(_ routed: RoutedMessage, _ reason: String, by handler: String, level: Logger.Level) {
        self.meter?.count(routed, .dropped)
        self.discard(routed, reason, by: handler, level: level)
    }

    /// Discards a message, also one that a handler made.
    private func discard(_ routed: RoutedMessage, _ reason: String, by handler: String, level: Logger.Level) {
        self.counts.countDropped(reason)
        self.logRefusal("Dropped", of: routed, by: handler, reason, at: level)
    }

    /// Counts a message that was not routed since it follows from too many others.
    func countLoop() {
        self.counts.countDropped(GatewayError.Code.messageLoop.description)
    }

    /// Refuses a message whose flow is full.
    func overflow(_ routed: RoutedMessage) {
        if self.counts.overflowed == 0 {
            self.logger.warning("A flow is full behind a slow handler", metadata: routed.logMetadata)
        }
        self.counts.overflowed += 1
        self.meter?.flowFull()
        self.reject(routed, .overloaded, by: "router", level: .debug)
    }

    /// Counts and logs a call of a handler that failed.
    func countFailure(of handler: String, _ error: any Error, _ routed: RoutedMessage) {
        self.counts.failures += 1
        self.meter?.failed()
        self.logger.warning("A handler failed", metadata: routed.logMetadata(handler: handler, reason: "\(error)"))
    }

    /// Tells that a handler's circuit breaker has opened.
    func suspended(_ handler: String, device: String) {
        self.logger.warning(
            "A handler keeps failing and is not asked for a while", metadata: ["handler": "\(handler)"])
        self.output?.emit(.handlerSuspended(device: device, handler: handler))
    }

    /// Logs a message that does not go on: which sender wanted what, and why it is refused. Beyond so many lines a minute and
    /// address at debug only.
    private func logRefusal(
        _ text: Logger.Message, of routed: RoutedMessage, by handler: String, _ reason: String,
        _ rejection: Rejection? = nil, at level: Logger.Level
    ) {
        guard self.logger.logLevel <= level else { return }
        var metadata = routed.logMetadata(handler: handler, reason: reason)
        let level = self.refusalLog.level(
            level, for: routed.senderAddress, at: self.eventLoop.now, metadata: &metadata)
        guard self.logger.logLevel <= level else { return }
        if let rule = rejection?.rule { metadata["rule"] = "\(rule)" }
        if let detail = rejection?.message { metadata["detail"] = "\(detail)" }
        let command = CastCommand(routed) { self.output?.running ?? .unknown }
        metadata.merge(command?.metadata ?? CastCommand.actor(of: routed)) { own, _ in own }
        self.logger.log(level: level, text, metadata: metadata)
    }
}

extension RoutedMessage {
    /// The message that an effect sends; nil for one that sends none.
    package func message(of effect: Effect) -> CastMessage? {
        let (source, destination) = (self.message.source, self.message.destination)
        let (sender, app) = self.direction == .toReceiver ? (source, destination) : (destination, source)
        switch effect {
        case .replyToSender(let namespace, let payload):
            return CastMessage(
                source: app, destination: sender, namespace: namespace ?? self.message.namespace, payload: payload)
        case .broadcast(let namespace, let payload):
            return CastMessage(
                source: app, destination: .broadcast, namespace: namespace ?? self.message.namespace, payload: payload)
        case .sendToReceiver(let namespace, let payload):
            return CastMessage(
                source: sender, destination: app, namespace: namespace ?? self.message.namespace, payload: payload)
        case .emit, .put, .delete, .log: return nil
        }
    }
}

extension CastMessage {
    /// Whether the message fits into a frame.
    package var isSendable: Bool { self.namespace.isValid && self.serializedLength <= Self.maximumBodyLength }
}

extension Logger.Level {
    /// The level of an effect's line.
    package init(_ level: Effect.LogLevel) {
        self =
            switch level {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }
}
