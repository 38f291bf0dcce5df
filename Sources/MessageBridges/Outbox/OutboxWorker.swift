import GatewayCore
import GatewayJournal
import Logging
import NIOCore
import SystemPrimitives

/// The outbox's thread: writes what was taken, has it carried, and keeps time. For its event loop alone.
final class OutboxWorker {
    struct Route {
        var queue: DeliveryQueue
        let carrier: any MessageCarrier
    }

    /// How long changes may wait for a commit of new messages to go along with.
    private static let patience = TimeAmount.milliseconds(50)
    /// So many changes do not wait.
    private static let changeLimit = 512
    /// How long the disk is left alone after it could not be written.
    private static let pause = TimeAmount.seconds(1)
    private static let housekeeping = TimeAmount.seconds(60)

    let store: OutboxStore
    let outbox: Outbox
    private let eventLoop: NIOIsolatedEventLoop
    var routes: [String: Route] = [:]
    /// What is to be changed in the database: it may be late, since a message that arrives twice keeps its id.
    private var changes: [OutboxStore.Change] = []
    /// Messages that could not be written, and whose callers do not ask.
    private var unwritten: [Outbox.Pending] = []
    private var isWritable = true
    private var commit: Scheduled<Void>?
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    private var chores: Scheduled<Void>?
    /// Whether the queues are being asked, so that an outcome that comes meanwhile does not ask them again.
    private var isAdvancing = false
    private var mustAdvance = false

    init(_ outbox: Outbox, _ store: OutboxStore, _ eventLoop: any EventLoop) {
        self.outbox = outbox
        self.store = store
        self.eventLoop = eventLoop.assumeIsolated()
    }

    var now: NIODeadline { self.outbox.clock.now() }
    var wallClock: Int64 { self.outbox.clock.wall() }

    // MARK: Beginning and end

    /// Looks at what the last run has left.
    func begin() {
        for total in (try? self.store.totals()) ?? [] {
            self.outbox.ledger.update(total.destination) { standing in
                if total.state == .dead {
                    standing.dead += total.count
                } else {
                    standing.waiting += total.count
                    standing.waitingBytes += total.bytes
                }
            }
        }
        self.scheduleChores()
    }

    /// Writes what was taken, and carries nothing more.
    func stop() {
        self.chores?.cancel()
        self.commit?.cancel()
        self.timer?.task.cancel()
        self.routes = [:]
        self.work()
        self.writeChanges()
        for item in self.unwritten + self.outbox.takePending() { item.whenTaken?(.failure(.stopped)) }
        try? self.store.close()
    }

    /// Sets where messages can be brought.
    func setDestinations(_ destinations: [Outbox.Destination]) {
        let names = Set(destinations.map(\.name))
        for name in self.routes.keys where !names.contains(name) { self.routes[name] = nil }
        self.writeChanges()
        for destination in destinations {
            if let route = self.routes[destination.name], route.carrier === destination.carrier,
                route.queue.settings == destination.settings
            {
                continue
            }
            self.open(destination)
        }
        self.advance()
    }

    private func open(_ destination: Outbox.Destination) {
        var queue = DeliveryQueue(destination.settings)
        let isByDevice = if case .device = destination.settings.order { true } else { false }
        do {
            let lanes = try self.store.lanes(of: destination.name)
            for lane in isByDevice ? lanes : lanes.prefix(1).map({ _ in "" }) { queue.found(lane: lane) }
            if let due = try self.store.nextDue(for: destination.name, after: -1) {
                queue.foundParked(due: self.instant(of: due))
            }
        } catch {
            self.complain(error)
        }
        self.outbox.ledger.update(destination.name) { $0.state = .up }
        self.routes[destination.name] = Route(queue: queue, carrier: destination.carrier)
        let (outbox, name) = (self.outbox, destination.name)
        destination.carrier.begin { outbox.execute { $0.resume(name) } }
    }

    private func scheduleChores() {
        self.chores = self.eventLoop.scheduleTask(in: Self.housekeeping) { [weak self] in
            self?.keepHouse()
            self?.scheduleChores()
        }
    }

    // MARK: Writing

    /// Writes everything that waits, in one transaction, and has it carried.
    func work() {
        let items = self.unwritten + self.outbox.takePending()
        guard !items.isEmpty else { return }
        self.unwritten = []
        let drafts = items.flatMap(\.drafts)
        let messages: [OutboxMessage]
        do {
            messages = try self.store.write(drafts, self.changes)
        } catch {
            return self.keep(items, error)
        }
        self.written()
        self.outbox.forget(items)
        for (draft, message) in zip(drafts, messages) {
            let more = message.cost - draft.cost
            if more != 0 { self.outbox.ledger.update(message.destination) { $0.waitingBytes += more } }
            self.routes[message.destination]?.queue.append(message)
        }
        var rest = messages[...]
        for item in items {
            item.whenTaken?(.success(rest.prefix(item.drafts.count).map(\.id)))
            rest = rest.dropFirst(item.drafts.count)
        }
        self.advance()
    }

    /// The disk cannot be written: callers that ask are told, everything else is kept and tried again.
    private func keep(_ items: [Outbox.Pending], _ error: any Error) {
        self.complain(error)
        let told = items.filter { $0.whenTaken != nil }
        self.outbox.forget(told)
        for item in told {
            self.outbox.ledger.takeBack(item.drafts, isOverflow: false)
            item.whenTaken?(.failure(.unwritable("\(error)")))
        }
        self.unwritten = items.filter { $0.whenTaken == nil }
        self.eventLoop.scheduleTask(in: Self.pause) { [weak self] in self?.work() }
    }

    func writeChanges() {
        self.commit?.cancel()
        self.commit = nil
        guard !self.changes.isEmpty else { return }
        do {
            _ = try self.store.write([], self.changes)
            self.written()
        } catch {
            self.complain(error)
            self.commit = self.eventLoop.scheduleTask(in: Self.pause) { [weak self] in self?.writeChanges() }
        }
    }

    private func written() {
        self.changes = []
        self.commit?.cancel()
        self.commit = nil
        if !self.isWritable { self.outbox.logger.notice("The outbox can be written again") }
        self.isWritable = true
    }

    func complain(_ error: any Error) {
        if self.isWritable {
            self.outbox.logger.error("The outbox cannot be written", metadata: ["reason": "\(error)"])
        }
        self.isWritable = false
    }

    private func change(_ change: OutboxStore.Change) {
        self.changes.append(change)
        if self.changes.count >= Self.changeLimit { return self.writeChanges() }
        if self.commit == nil {
            self.commit = self.eventLoop.scheduleTask(in: Self.patience) { [weak self] in self?.writeChanges() }
        }
    }

    // MARK: Carrying

    /// A destination says that it can be reached, or an operator wants it to be tried.
    func resume(_ name: String) {
        self.routes[name]?.carrier.resumed()
        self.routes[name]?.queue.resume()
        self.outbox.ledger.update(name) { if $0.state == .disabled { $0.state = .down } }
        self.advance()
    }

    /// What the messages of a device are for is there.
    func resume(_ name: String, device: String) {
        self.routes[name]?.queue.resume(device: device)
        self.advance()
    }

    private func settle(_ message: OutboxMessage, _ outcome: DeliveryOutcome, by carrier: any MessageCarrier) {
        // What an earlier carrier of the name was told to carry is carried by its successor again.
        guard let route = self.routes[message.destination], route.carrier === carrier else { return }
        if case .refused = outcome { self.outbox.ledger.update(message.destination) { $0.refused += 1 } }
        let actions = self.routes[message.destination]?.queue.settle(message, outcome, at: self.now) ?? []
        for action in actions { self.perform(action, of: message.destination) }
        self.advance()
    }

    /// Asks every queue what is to be carried now.
    func advance() {
        self.mustAdvance = true
        guard !self.isAdvancing else { return }
        self.isAdvancing = true
        defer { self.isAdvancing = false }
        while self.mustAdvance {
            self.mustAdvance = false
            for name in self.routes.keys {
                while let actions = self.routes[name]?.queue.advance(to: self.now, wallClock: self.wallClock),
                    !actions.isEmpty
                {
                    for action in actions { self.perform(action, of: name) }
                }
            }
        }
        self.setTimer()
    }

    private func setTimer() {
        let next = self.routes.values.compactMap(\.queue.nextInstant).min()
        guard next != self.timer?.at else { return }
        self.timer?.task.cancel()
        self.timer = next.map { at in
            (
                at,
                self.eventLoop.scheduleTask(deadline: max(at, .now())) { [weak self] in
                    self?.timer = nil
                    self?.advance()
                }
            )
        }
    }

    private func perform(_ action: DeliveryQueue.Action, of name: String) {
        switch action {
        case .carry(let message): self.carry(message, of: name)
        case .remove(let message):
            self.change(.remove(message.sequence))
            self.outbox.ledger.update(name) { standing in
                standing.delivered += 1
                standing.take(message)
            }
        case .retry(let message, let delay, let isParked):
            let due = self.wallClock + delay.wholeMilliseconds
            self.change(.retry(message.sequence, attempts: message.attempts, due: due, isParked: isParked))
        case .bury(let message, let reason): self.bury(message, reason, of: name)
        case .load(let lane, let sequence): self.load(lane, after: sequence, of: name)
        case .loadParked: self.loadParked(of: name)
        case .tellDown(let reason): self.tell(.down(reason: reason), of: name, .down)
        case .tellUp: self.tell(.up, of: name, .up)
        case .tellDisabled(let reason): self.tell(.disabled(reason: reason), of: name, .disabled)
        }
    }

    private func carry(_ message: OutboxMessage, of name: String) {
        guard let carrier = self.routes[name]?.carrier else { return }
        let outbox = self.outbox
        carrier.carry(message) { outcome in
            outbox.execute { $0.settle(message, outcome, by: carrier) }
        }
    }

    private func bury(_ message: OutboxMessage, _ reason: String, of name: String) {
        self.change(.bury(message.sequence, attempts: message.attempts, reason: reason, at: self.wallClock))
        self.outbox.ledger.update(name) { standing in
            standing.buried += 1
            standing.dead += 1
            standing.take(message)
        }
        self.outbox.events.publish(
            .bridge(
                name: name,
                .deadLetter(id: message.id, type: message.type, device: message.device, reason: reason)))
        self.outbox.logger.warning(
            "A message was given up", metadata: ["bridge": "\(name)", "id": "\(message.id)", "reason": "\(reason)"])
    }

    private func load(_ lane: String, after sequence: Int64, of name: String) {
        self.writeChanges()
        let isByDevice =
            if case .device? = self.routes[name]?.queue.settings.order { true } else { false }
        do {
            let (messages, hasMore) = try self.store.waiting(
                for: name, lane: isByDevice ? lane : nil, after: sequence)
            self.routes[name]?.queue.loaded(messages, in: lane, hasMore: hasMore)
        } catch {
            self.complain(error)
            self.eventLoop.scheduleTask(in: Self.pause) { [weak self] in
                self?.routes[name]?.queue.loaded([], in: lane, hasMore: true)
                self?.advance()
            }
        }
    }

    private func loadParked(of name: String) {
        self.writeChanges()
        let due = self.wallClock
        do {
            let messages = try self.store.parked(for: name, due: due)
            let next = try self.store.nextDue(for: name, after: due)
            // Others that are due as well are read when these are on their way.
            let isFull = messages.count >= OutboxStore.pageCount
            let instant = isFull ? self.now : next.map(self.instant(of:))
            self.routes[name]?.queue.loadedParked(messages, next: instant)
        } catch {
            self.complain(error)
            self.routes[name]?.queue.loadedParked([], next: self.now + Self.pause)
        }
    }

    /// The instant of a time of day.
    private func instant(of wallClock: Int64) -> NIODeadline {
        self.now + .milliseconds(max(0, wallClock - self.wallClock))
    }

    private func tell(_ change: BridgeChange, of name: String, _ state: OutboxStanding.State) {
        self.outbox.ledger.update(name) { $0.state = state }
        self.outbox.events.publish(.bridge(name: name, change))
        switch change {
        case .down(let reason):
            self.outbox.logger.warning(
                "A bridge cannot be reached; messages wait", metadata: ["bridge": "\(name)", "reason": "\(reason)"])
        case .disabled(let reason):
            self.outbox.logger.error(
                "A bridge wants nothing any more; messages wait until it is resumed",
                metadata: ["bridge": "\(name)", "reason": "\(reason)"])
        default: self.outbox.logger.notice("A bridge can be reached again", metadata: ["bridge": "\(name)"])
        }
    }
}

extension OutboxStanding {
    /// A message does not wait any more.
    mutating func take(_ message: OutboxMessage) {
        self.waiting = max(0, self.waiting - 1)
        self.waitingBytes = max(0, self.waitingBytes - message.cost)
    }
}
