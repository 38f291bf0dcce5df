import GatewayCore
import GatewayJournal
import GatewayMetrics
import Logging
import NIOCore
import StateStore
import SystemPrimitives

/// The outbox's thread: has what was taken written, has it carried, and keeps time. For its event loop alone.
final class OutboxWorker {
    private struct Group {
        let number: UInt64
        let items: [Outbox.Pending]
        let changes: [OutboxStore.Change]
    }

    /// The time changes may wait for a commit of new messages to go along with.
    private static let patience = TimeAmount.milliseconds(50)
    /// The number of changes that do not wait.
    private static let changeLimit = 512
    /// The time the disk is left alone after it could not be written.
    private static let pause = TimeAmount.seconds(1)
    private static let housekeeping = TimeAmount.seconds(60)

    let store: OutboxStore
    let outbox: Outbox
    private let eventLoop: NIOIsolatedEventLoop
    private let writer: OutboxWriter
    private var group: Group?
    private var groupCount: UInt64 = 0
    var routes: [String: DeliveryRoute] = [:]
    /// The changes for the database: they may be late, since a message that arrives twice keeps its id.
    private var changes: [OutboxStore.Change] = []
    /// Messages that could not be written, and whose callers do not ask.
    private var unwritten: [Outbox.Pending] = []
    private var isWritable = true
    private var commit: Scheduled<Void>?
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    private var chores: Scheduled<Void>?
    /// True if the queues are being asked, so that an outcome that comes meanwhile does not ask them again.
    private var isAdvancing = false
    private var mustAdvance = false

    init(_ outbox: Outbox, _ store: OutboxStore, _ eventLoop: any EventLoop) {
        self.outbox = outbox
        self.store = store
        self.writer = OutboxWriter(store)
        self.eventLoop = eventLoop.assumeIsolated()
    }

    var now: NIODeadline { self.outbox.clock.now() }
    var wallClock: Int64 { self.outbox.clock.wall() }

    // MARK: Beginning and end

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
        self.writeAll()
        self.writer.stop()
        for item in self.unwritten + self.outbox.takePending() { item.whenTaken?(.failure(.stopped)) }
        try? self.store.close()
    }

    func setDestinations(_ destinations: [Outbox.Destination]) {
        let names = Set(destinations.map(\.name))
        for name in self.routes.keys where !names.contains(name) { self.routes[name] = nil }
        self.writeAll()
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
        self.routes[destination.name] = DeliveryRoute(queue: queue, carrier: destination.carrier)
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

    /// Begins to write everything that waits, in one transaction. What comes meanwhile is the next group.
    func work() { self.beginGroup(evenWithoutMessages: false) }

    private func beginGroup(evenWithoutMessages: Bool) {
        guard self.group == nil else { return }
        let items = self.unwritten + self.outbox.takePending()
        guard !items.isEmpty || (evenWithoutMessages && !self.changes.isEmpty) else { return }
        self.groupCount += 1
        let number = self.groupCount
        self.group = Group(number: number, items: items, changes: self.changes)
        (self.unwritten, self.changes) = ([], [])
        self.commit?.cancel()
        self.commit = nil
        self.writer.begin(items.flatMap(\.drafts), self.group?.changes ?? []) { [outbox = self.outbox] in
            outbox.execute { $0.wrote(number) }
        }
    }

    private func wrote(_ number: UInt64) {
        // Another may be under way already, when this one was waited for.
        guard self.group?.number == number else { return }
        self.finishGroup()
        if self.isWritable { self.work() }
        self.advance()
    }

    /// Waits for what is being written, if something is, and gives it to the queues.
    private func finishGroup() {
        guard let group = self.group else { return }
        self.group = nil
        switch self.writer.finish() {
        case .success(let messages):
            self.outbox.ledger.committed()
            self.take(messages, group.items)
        case .failure(let error):
            self.changes = group.changes + self.changes
            self.keep(group.items, error)
        }
        if !self.changes.isEmpty { self.commitSoon(in: self.isWritable ? Self.patience : Self.pause) }
    }

    private func take(_ messages: [OutboxMessage], _ items: [Outbox.Pending]) {
        if !self.isWritable { self.outbox.logger.notice("The outbox can be written again") }
        self.isWritable = true
        self.outbox.forget(items)
        var rest = messages[...]
        for item in items {
            for (draft, message) in zip(item.drafts, rest) {
                let more = message.cost - draft.cost
                if more != 0 { self.outbox.ledger.update(message.destination) { $0.waitingBytes += more } }
                self.routes[message.destination]?.queue.append(message)
            }
            item.whenTaken?(.success(rest.prefix(item.drafts.count).map(\.id)))
            rest = rest.dropFirst(item.drafts.count)
        }
    }

    /// The disk cannot be written: callers that ask are told, everything else is kept and tried again.
    private func keep(_ items: [Outbox.Pending], _ error: any Error) {
        self.complain(error)
        let told = items.filter { $0.whenTaken != nil }
        self.outbox.forget(told)
        for item in told {
            self.outbox.ledger.takeBack(item.drafts, isOverflow: false)
            item.whenTaken?(.failure(.unwritable(DatabaseErrorText.words(error))))
        }
        self.unwritten = items.filter { $0.whenTaken == nil }
        self.eventLoop.scheduleTask(in: Self.pause) { [weak self] in self?.work() }
    }

    /// Writes everything that waits, and waits for it: before something is read that it could change.
    func writeAll() {
        self.finishGroup()
        self.beginGroup(evenWithoutMessages: true)
        self.finishGroup()
        self.goOn()
    }

    /// Writes what came while something was waited for.
    private func goOn() {
        self.eventLoop.execute { [weak self] in
            self?.work()
            self?.advance()
        }
    }

    func complain(_ error: any Error) {
        if self.isWritable {
            self.outbox.logger.error(
                "The outbox cannot be written", metadata: ["reason": "\(DatabaseErrorText.words(error))"])
        }
        self.isWritable = false
    }

    private func change(_ change: OutboxStore.Change) {
        self.changes.append(change)
        if self.changes.count >= Self.changeLimit { self.beginGroup(evenWithoutMessages: true) }
        if !self.changes.isEmpty { self.commitSoon(in: Self.patience) }
    }

    private func commitSoon(in time: TimeAmount) {
        guard self.commit == nil else { return }
        self.commit = self.eventLoop.scheduleTask(in: time) { [weak self] in
            self?.commit = nil
            // While something is being written this does nothing, and follows behind it.
            self?.beginGroup(evenWithoutMessages: true)
        }
    }

    // MARK: Carrying

    /// A destination says that it can be reached, or an operator wants it to be tried.
    func resume(_ name: String) {
        // Otherwise what came back before the destination could be reached again would be overtaken by the next.
        self.takeOutcomes()
        self.routes[name]?.carrier.resumed()
        self.routes[name]?.queue.resume()
        self.outbox.ledger.update(name) { if $0.state == .disabled { $0.state = .down } }
        self.advance()
    }

    func resume(_ name: String, device: String) {
        self.routes[name]?.queue.resume(device: device)
        self.advance()
    }

    /// Takes all outcomes that have come, and then asks once what is to be carried now.
    func settleAll() {
        self.takeOutcomes()
        self.advance()
    }

    private func takeOutcomes() {
        for settled in self.outbox.takeSettled() { self.settle(settled.message, settled.outcome, by: settled.carrier) }
    }

    private func settle(_ message: OutboxMessage, _ outcome: DeliveryOutcome, by carrier: any MessageCarrier) {
        // What an earlier carrier of the name was told to carry is carried by its successor again.
        guard let route = self.routes[message.destination], route.carrier === carrier else { return }
        let age = self.wallClock - message.takenAt
        self.outbox.ledger.update(message.destination) { standing in
            if case .refused = outcome { standing.refused += 1 }
            standing.attempts[.init(outcome), default: 0] += 1
            if case .delivered = outcome { standing.durations.observe(nanoseconds: max(0, age) * 1_000_000) }
        }
        for action in route.queue.settle(message, outcome, at: self.now) {
            self.perform(action, of: message.destination)
        }
    }

    /// Asks every queue what is to be carried now.
    func advance() {
        self.mustAdvance = true
        guard !self.isAdvancing else { return }
        self.isAdvancing = true
        defer { self.isAdvancing = false }
        while self.mustAdvance {
            self.mustAdvance = false
            for (name, route) in self.routes {
                while case let actions = route.queue.advance(to: self.now, wallClock: self.wallClock), !actions.isEmpty
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
            outbox.settle(Outbox.Settled(message: message, outcome: outcome, carrier: carrier))
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
        // What is behind one that stood here never did, so that nothing of it is to be changed.
        if sequence == 0 {
            self.writeAll()
        } else {
            // What is being written would be read here, and come once more when it is written.
            self.finishGroup()
            self.goOn()
        }
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
        self.writeAll()
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
}
