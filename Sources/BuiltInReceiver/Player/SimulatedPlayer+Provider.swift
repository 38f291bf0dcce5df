import CastWire
import NIOCore

/// The queue's provider: asked for items when they are wanted, and its answers checked as those of senders are.
extension SimulatedPlayer {
    /// Whether a load waits for the provider.
    var waitsForLoad: Bool {
        self.provision?.pending.values.contains { if case .load = $0.purpose { true } else { false } } ?? false
    }

    private mutating func ask(
        _ kind: QueueQuestion.Kind, _ details: JSONObject, for purpose: QueueProvision.Purpose, session: Int?
    ) {
        let pending = QueueProvision.Pending(kind: kind, purpose: purpose, session: session)
        guard let token = self.provision?.add(pending) else { return }
        self.outbox.append(.ask(QueueQuestion(kind, details), token: token))
    }

    /// Begins a load: at once, or when the provider has said what belongs to it.
    mutating func load(_ plan: LoadPlan, for request: PlayerRequest, at now: NIODeadline) {
        if let earlier = self.provision?.takeLoad(), let id = earlier.id {
            self.outbox.append(
                .reply(
                    ["type": .string(MediaResponseType.loadCancelled.rawValue), "requestId": id.json, "itemId": 0],
                    to: earlier.sender))
        }
        guard self.provision?.hasRoom == true, request.type != .resumeSession, plan.queueData == nil,
            plan.items.count == 1
        else { return self.begin(plan, for: request, at: now) }
        self.ask(
            .initialize, ["request": .object(request.message.json)], for: .load(plan, request), session: nil)
    }

    /// Asks the provider about a request of a sender that it has to answer first.
    /// - Returns: false when the request is answered without it.
    mutating func defers(_ request: PlayerRequest, _ type: MediaRequestType, _ session: PlayerSession) -> Bool {
        guard let provision = self.provision, provision.hasRoom else { return false }
        let queue = session.queue
        switch type {
        case .queueShuffle:
            var details: JSONObject = ["shuffle": .bool(request.message.shuffles ?? true)]
            if let current = queue.current { details["item"] = .object(current.item.json) }
            self.ask(.shuffle, details, for: .request(request), session: session.id)
            return true
        case .queueGetItemRange:
            guard let id = request.message.itemID, let position = queue.position(of: id) else { return false }
            let next = request.message.nextCount ?? 0
            let previous = request.message.previousCount ?? 0
            let lacksNext = next > queue.count - 1 - position && provision.askedBehind != queue.ids.last
            let lacksPrevious = previous > position && provision.askedBefore != queue.ids.first
            guard lacksNext || lacksPrevious else { return false }
            var details: JSONObject = [
                "itemId": .number(id), "nextCount": .number(lacksNext ? next - (queue.count - 1 - position) : 0),
                "prevCount": .number(lacksPrevious ? previous - position : 0),
            ]
            details["first"] = queue.entries.first.map { .object($0.item.json) }
            details["last"] = queue.entries.last.map { .object($0.item.json) }
            self.ask(.fetchItems, details, for: .request(request), session: session.id)
            return true
        default: return false
        }
    }

    /// Asks for what follows the last item while that plays, and for what comes before the first.
    mutating func askForMore() {
        guard let provision = self.provision, provision.hasRoom, let session = self.session,
            let first = session.queue.entries.first, let last = session.queue.entries.last
        else { return }
        if session.queue.index + 1 >= session.queue.count, provision.askedBehind != last.id {
            self.provision?.askedBehind = last.id
            self.ask(
                .nextItems, ["itemId": .number(last.id), "item": .object(last.item.json)],
                for: .growth(isBehind: true), session: session.id)
        }
        if session.queue.index == 0, provision.askedBefore != first.id {
            self.provision?.askedBefore = first.id
            self.ask(
                .previousItems, ["itemId": .number(first.id), "item": .object(first.item.json)],
                for: .growth(isBehind: false), session: session.id)
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
            if let answer, let items = Self.items("items", of: answer, into: PlayerQueue()) {
                plan.take(items, of: answer)
            }
            return self.begin(plan, for: request, at: now)
        }
        guard var session = self.session, session.id == pending.session else {
            if case .request(let request) = pending.purpose { self.refuse(request, .invalid(.invalidMediaSessionID)) }
            return
        }
        self.session = nil
        defer { self.session = session.ending == nil ? session : nil }
        switch pending.purpose {
        case .load: break
        case .growth(let isBehind):
            if let answer, self.grow(&session, by: answer, "items", isBehind: isBehind) {
                self.broadcastStatus(session, at: now)
                self.sayChanges()
            }
        case .request(let request) where pending.kind == .shuffle:
            self.mix(request, &session, answer)
            self.answer(request, session, at: now)
        case .request(let request):
            if let answer {
                let hasGrown = [
                    self.grow(&session, by: answer, "previous_items", isBehind: false),
                    self.grow(&session, by: answer, "next_items", isBehind: true),
                ]
                if hasGrown.contains(true) { self.broadcastStatus(session, at: now) }
            }
            do throws(PlayerRefusal) {
                self.inform(request, try self.itemRange(request, session.queue))
            } catch {
                self.refuse(request, error)
            }
            self.sayChanges()
        }
    }

    private mutating func sayChanges() {
        self.outbox += self.afterAnswer.map(Action.broadcast)
        self.afterAnswer = []
    }

    /// Adds the items of an answer to the queue.
    /// - Returns: false when there are none that could be added.
    private mutating func grow(
        _ session: inout PlayerSession, by answer: JSONObject, _ name: String, isBehind: Bool
    ) -> Bool {
        guard let items = Self.items(name, of: answer, into: session.queue) else { return false }
        let first = session.queue.ids.first
        let firstID = self.nextItemID
        session.queue.insert(items, at: isBehind ? session.queue.count : 0, firstID: firstID)
        self.nextItemID += items.count
        self.forgetPreload(&session)
        var change = self.queueChange(.insert, Array(firstID..<firstID + items.count), session.queue)
        if !isBehind { change["insertBefore"] = first.map { .number($0) } }
        self.afterAnswer.append(change)
        return true
    }

    /// Puts the items of an answer in the place of those around the current one; without them the player mixes itself.
    private mutating func mix(_ request: PlayerRequest, _ session: inout PlayerSession, _ answer: JSONObject?) {
        let shuffles = request.message.shuffles ?? true
        var queue = session.queue
        guard let answer, let current = queue.current else { return self.shuffle(shuffles, &session) }
        _ = queue.remove(Set(queue.ids).subtracting([current.id]))
        guard let items = Self.items("items", of: answer, into: queue) else { return self.shuffle(shuffles, &session) }
        queue.insert(items, at: 1, firstID: self.nextItemID)
        queue.isShuffled = shuffles
        self.nextItemID += items.count
        session.queue = queue
        self.provision?.forgetGrowth()
        self.forgetPreload(&session)
        self.afterAnswer.append(self.queueChange(.update, queue.ids, queue))
    }

    /// The items of an answer; nil when there are none, or they are not what a QUEUE_INSERT may bring.
    private static func items(_ name: String, of answer: JSONObject, into queue: PlayerQueue) -> [QueueItem]? {
        guard let list = answer.array(name), (1...QueueProvision.itemLimit).contains(list.count) else { return nil }
        return self.newItems(
            list.compactMap { $0.objectValue.map { QueueItem(json: $0) } }, count: list.count, into: queue)
    }
}
