import CastWire
import NIOCore

/// Messages that wait for a verdict, and what waits behind them.
extension MessageRouter {
    /// Deadlines that lie closer together than this may be looked at together.
    private static let deadlineGrain = TimeAmount.milliseconds(5)

    func hold(_ journey: Journey, _ entry: HandlerTable.Entry) {
        let deadline = self.eventLoop.now + TimeAmount(self.settings.deadline(of: entry.claim))
        if let flow = journey.flow {
            // Given up while it was asked: nobody waits for the verdict.
            guard self.flows[journey.key] === flow else {
                journey.settle()
                self.breakers[entry.id]?.abandoned(at: self.eventLoop.now)
                return
            }
            flow.hold(journey, until: deadline)
        } else {
            let flow = Flow(journey.key, holding: journey, until: deadline)
            journey.flow = flow
            self.flows[journey.key] = flow
        }
        self.watch(deadline)
    }

    /// Takes what was decided about a deferred message, or that it will take longer.
    func take(_ notice: Deferral.Notice, of deferral: Deferral) {
        let journey = deferral.journey.value
        // Whoever comes late finds another deferral, or none.
        guard journey.deferral === deferral, let flow = journey.flow, flow.isHeld(by: journey) else { return }
        switch notice {
        case .outcome(let result): self.complete(flow, journey, result)
        case .moreTime(let time):
            let deadline = self.eventLoop.now + TimeAmount(time)
            flow.hold(journey, until: deadline)
            self.watch(deadline)
        }
    }

    private func complete(_ flow: Flow, _ journey: Journey, _ result: Result<Verdict, any Error>) {
        guard let entry = journey.entry else { return }
        flow.release()
        journey.deferral = nil
        var ended: Bool
        do {
            let verdict = try result.get()
            guard verdict.disposition != .deferred else { throw GatewayError(.handlerFailed, "deferred twice") }
            ended = try self.apply(verdict, of: entry, to: journey)
        } catch {
            ended = self.fail(journey, entry, error)
        }
        if !ended { ended = self.proceed(journey) }
        if ended { self.drain(flow) }
        self.flushSoon()
        self.callBackWhenIdle()
    }

    /// Routes what waited, until something is deferred again or nothing is left.
    private func drain(_ flow: Flow) {
        // Not any more when the flow was given up meanwhile.
        while self.flows[flow.key] === flow {
            guard let next = flow.popFirst(budget: &self.budget) else {
                self.flows[flow.key] = nil
                return
            }
            let chain = self.chain(of: next.message.names, next.direction)
            guard self.proceed(self.begin(next, chain, behind: flow)) else { return }
        }
    }

    func abandon(_ flow: Flow) {
        self.flows[flow.key] = nil
        self.budget.remove(count: flow.waiting.count, bytes: flow.waitingBytes, for: flow.key.connection)
        guard let journey = flow.release() else { return }
        journey.settle()
        if let entry = journey.entry { self.breakers[entry.id]?.abandoned(at: self.eventLoop.now) }
    }

    /// What is decided in one turn of the event loop leaves together.
    private func flushSoon() {
        guard !self.isFlushDue else { return }
        self.isFlushDue = true
        self.eventLoop.execute { [courier = self.courier] in courier.router?.flush() }
    }

    private func flush() {
        self.isFlushDue = false
        self.output?.flush()
    }

    func callBackWhenIdle() {
        guard self.flows.isEmpty, !self.whenIdle.isEmpty else { return }
        // Whoever waits may be about to close what the last verdict is still to leave by.
        self.output?.flush()
        let callbacks = self.whenIdle
        self.whenIdle = []
        for callback in callbacks { callback() }
    }

    // MARK: Deadlines

    /// Sees to it that somebody looks at the flows by then.
    private func watch(_ deadline: NIODeadline) {
        if let next = self.nextDeadlineCheck, next <= deadline { return }
        self.deadlineTimer?.cancel()
        self.nextDeadlineCheck = deadline
        self.deadlineTimer = self.eventLoop.scheduleTask(deadline: deadline) { [courier = self.courier] in
            courier.router?.checkDeadlines()
        }
    }

    private func checkDeadlines() {
        self.nextDeadlineCheck = nil
        let now = self.eventLoop.now
        for flow in self.flows.values where flow.deadline <= now {
            // A verdict that was given in time from another thread may still be on its way here.
            guard let journey = flow.held, let entry = journey.entry, journey.deferral?.settle() ?? false else {
                continue
            }
            let late = GatewayError(.handlerTimedOut, "'\(entry.handler.name)' missed its deadline")
            self.complete(flow, journey, .failure(late))
        }
        // What was decided in time, and is on its way here, needs no deadline any more.
        let next = self.flows.values.lazy.filter { !($0.held?.deferral?.isSettled ?? true) }.map(\.deadline).min()
        if let next { self.watch(max(next, now + Self.deadlineGrain)) }
    }
}
