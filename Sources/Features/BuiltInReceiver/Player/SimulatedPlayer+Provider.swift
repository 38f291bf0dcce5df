import CastWire
import NIOCore

/// The queue's provider: asked for items when they are wanted, and its answers checked as those of senders are.
extension SimulatedPlayer {
    /// True if a load waits for the provider.
    var waitsForLoad: Bool {
        self.provision?.pending.values.contains { if case .load = $0.purpose { true } else { false } } ?? false
    }

    private mutating func ask(_ question: QueueQuestion, for purpose: QueueProvision.Purpose, session: Int?) {
        let pending = QueueProvision.Pending(kind: question.kind, purpose: purpose, session: session)
        guard let token = self.provision?.add(pending) else { return }
        self.outbox.append(.ask(question, token: token))
    }

    /// Begins a load: at once, or when the provider has said what belongs to it.
    mutating func load(_ plan: LoadPlan, for request: PlayerRequest, at now: NIODeadline) {
        if let earlier = self.provision?.takeLoad() { self.cancel(earlier, itemID: 0) }
        guard self.provision?.hasRoom == true, request.type != .resumeSession, plan.queueData == nil,
            plan.items.count == 1
        else { return self.begin(plan, for: request, at: now) }
        let question = QueueQuestion(.initialize, ["request": .object(request.message.json)])
        self.ask(question, for: .load(plan, request), session: nil)
    }

    /// Asks the provider about a request of a sender that it has to answer first.
    /// - Returns: false when the request is answered without it.
    mutating func defers(_ request: PlayerRequest, _ type: MediaRequestType, _ session: PlayerSession) -> Bool {
        guard let provision = self.provision, provision.hasRoom,
            let question = provision.question(before: request, type, about: session.queue)
        else { return false }
        self.ask(question, for: .request(request), session: session.id)
        return true
    }

    mutating func askForMore() {
        guard self.provision?.hasRoom == true, let session = self.session else { return }
        for (question, isBehind) in self.provision?.growthQuestions(about: session.queue) ?? [] {
            self.ask(question, for: .growth(isBehind: isBehind), session: session.id)
        }
    }

    // MARK: Answers

    /// Takes an answer of the provider.
    /// - Parameter answer: nil when there was none in time.
    mutating func provided(_ token: Int, _ answer: JSONObject?, at now: NIODeadline) -> [Action] {
        self.advance(to: now)
        if let pending = self.provision?.take(token) { self.take(answer, to: pending, at: now) }
        self.advance(to: now)
        return self.drain()
    }

    private mutating func take(_ answer: JSONObject?, to pending: QueueProvision.Pending, at now: NIODeadline) {
        if case .load(var plan, let request) = pending.purpose {
            if let items = Self.items("items", of: answer, into: PlayerQueue()), let answer {
                plan.take(items, of: answer)
            }
            return self.begin(plan, for: request, at: now)
        }
        guard self.session?.id == pending.session else {
            if case .request(let request) = pending.purpose { self.refuse(request, .invalid(.invalidMediaSessionID)) }
            return
        }
        self.withSession { $0.take(answer, to: pending, &$1, at: now) }
    }

    private mutating func take(
        _ answer: JSONObject?, to pending: QueueProvision.Pending, _ session: inout PlayerSession, at now: NIODeadline
    ) {
        switch pending.purpose {
        case .load: break
        case .growth(let isBehind):
            guard Self.grow(&session, by: answer, "items", isBehind: isBehind) else { return }
            self.broadcastStatus(session, at: now)
            self.broadcastChanges(&session)
        case .request(let request) where pending.kind == .shuffle:
            self.mix(request, &session, answer)
            self.answer(request, &session, at: now)
        case .request(let request):
            let hasPrevious = Self.grow(&session, by: answer, "previous_items", isBehind: false)
            let hasNext = Self.grow(&session, by: answer, "next_items", isBehind: true)
            if hasPrevious || hasNext { self.broadcastStatus(session, at: now) }
            do throws(PlayerRefusal) {
                self.inform(request, try session.queue.itemRange(request))
            } catch {
                self.refuse(request, error)
            }
            self.broadcastChanges(&session)
        }
    }

    /// Adds the items of an answer to the queue.
    /// - Returns: false when there are none that could be added.
    private static func grow(
        _ session: inout PlayerSession, by answer: JSONObject?, _ name: String, isBehind: Bool
    ) -> Bool {
        guard let items = Self.items(name, of: answer, into: session.queue) else { return false }
        session.grow(by: items, isBehind: isBehind)
        return true
    }

    /// Puts the items of an answer in the place of those around the current one; without them the player mixes itself.
    private mutating func mix(_ request: PlayerRequest, _ session: inout PlayerSession, _ answer: JSONObject?) {
        let shuffles = request.message.shuffles ?? true
        if session.rearrange(isShuffled: shuffles, { Self.items("items", of: answer, into: $0) }) {
            self.provision?.forgetGrowth()
        } else {
            session.shuffle(shuffles)
        }
    }

    /// The items of an answer; nil when there are none, or they are not what a QUEUE_INSERT may bring.
    private static func items(_ name: String, of answer: JSONObject?, into queue: PlayerQueue) -> [QueueItem]? {
        guard let list = answer?.array(name), (1...QueueProvision.itemLimit).contains(list.count) else { return nil }
        return queue.accepted(list.compactMap { $0.objectValue.map { QueueItem(json: $0) } }, count: list.count)
    }
}
