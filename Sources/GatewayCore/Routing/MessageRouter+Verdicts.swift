import CastWire
import Logging
import NIOCore

/// What a verdict comes to, and what the lack of one.
extension MessageRouter {
    /// Carries a verdict out. Returns true when the journey has ended.
    func apply(_ verdict: Verdict, of entry: HandlerTable.Entry, to journey: Journey) throws -> Bool {
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
        case .reply(let payload):
            self.observe(journey)
            self.answer(routed.message.reply(payload), to: routed)
        case .handled where !isFilter: self.observe(journey)
        case .reject(let rejection): self.reject(routed, rejection, by: entry.handler.name)
        case .drop(let reason):
            self.counts.countDropped(reason)
            self.logRefusal("Dropped", of: routed, by: entry.handler.name, reason, at: isFilter ? .info : .debug)
        default:
            throw GatewayError(.handlerFailed, "a verdict that the phase \(entry.claim.phase.rawValue) does not allow")
        }
        self.breakers[entry.id]?.succeeded(at: self.eventLoop.now)
        self.perform(verdict.effects, for: routed)
        return ended
    }

    func applyDefault(_ routed: RoutedMessage) {
        // What the device says is never held back for want of a handler.
        if self.settings.defaultAction == .forward || routed.direction == .toSender {
            self.output?.forward(routed)
        } else {
            self.reject(routed, .notSupported, by: "routing.default")
        }
    }

    func observe(_ journey: Journey) {
        for entry in journey.chain.observers where journey.isWanted(by: entry) && self.allowsCall(entry) {
            do {
                let verdict = try self.ask(entry, about: journey, within: .zero)
                self.breakers[entry.id]?.succeeded(at: self.eventLoop.now)
                self.perform(verdict.effects, for: journey.routed)
            } catch {
                self.countFailure(of: entry, error, journey.routed)
            }
        }
    }

    func perform(_ effects: [Effect], for routed: RoutedMessage) {
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

    func reject(
        _ routed: RoutedMessage, _ rejection: Rejection, by handler: String, level: Logger.Level = .info
    ) {
        self.counts.countRejected(rejection.reason)
        self.logRefusal("Rejected", of: routed, by: handler, rejection.reason, rejection, at: level)
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

    /// Logs what does not go on: who wanted what, and why not. Beyond so many lines a minute and address at debug only.
    private func logRefusal(
        _ text: Logger.Message, of routed: RoutedMessage, by handler: String, _ reason: String,
        _ rejection: Rejection? = nil, at level: Logger.Level
    ) {
        guard self.logger.logLevel <= level else { return }
        var metadata = routed.logMetadata(handler: handler, reason: reason)
        let level = self.rejectionLog.level(
            level, for: routed.senderAddress, at: self.eventLoop.now, metadata: &metadata)
        guard self.logger.logLevel <= level else { return }
        if let rule = rejection?.rule { metadata["rule"] = "\(rule)" }
        if let detail = rejection?.message { metadata["detail"] = "\(detail)" }
        let act = CastAct(routed) { self.output?.running ?? .unknown }
        metadata.merge(act?.metadata ?? CastAct.actor(of: routed)) { own, _ in own }
        self.logger.log(level: level, text, metadata: metadata)
    }

    func answer(_ message: CastMessage, to routed: RoutedMessage) {
        switch routed.direction {
        case .toReceiver: self.output?.sendToSenders(message, connection: routed.connection)
        case .toSender: self.output?.sendToReceiver(message, connection: routed.connection)
        }
    }

    func overflow(_ routed: RoutedMessage) {
        if self.counts.overflowed == 0 {
            self.logger.warning("A flow is full behind a slow handler", metadata: routed.logMetadata)
        }
        self.counts.overflowed += 1
        self.reject(routed, .overloaded, by: "router", level: .debug)
    }

    // MARK: Failures

    func allowsCall(_ entry: HandlerTable.Entry) -> Bool {
        self.breakers[entry.id]?.allowsCall(at: self.eventLoop.now) ?? true
    }

    /// Treats a miss by the claim's policy; `error` is nil when the breaker kept the handler from being asked.
    /// Returns true when the journey has ended.
    func fail(_ journey: Journey, _ entry: HandlerTable.Entry, _ error: (any Error)?) -> Bool {
        if let error { self.countFailure(of: entry, error, journey.routed) }
        guard entry.claim.onFailure ?? self.settings.onFailure == .closed else { return false }
        self.reject(journey.routed, .handlerFailed, by: entry.handler.name)
        return true
    }

    func countFailure(of entry: HandlerTable.Entry, _ error: any Error, _ routed: RoutedMessage) {
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
