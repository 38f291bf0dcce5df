import NIOCore
import SystemPrimitives

/// Decides which message of one destination is carried when, and what becomes of it. A struct state machine: events in,
/// actions out, instants passed in.
///
/// How it works: messages stand in lanes (``DeliveryLane``), one for each device where order is kept by device, one in all
/// otherwise. Lanes with something to carry take turns. A message that is refused is tried again by the schedule; it holds its lane
/// back for a while, and is *parked* then: tried beside the lane, so that what follows can pass. A destination that cannot be reached
/// is paused as a whole (``DestinationPause``), and nothing passes anything. A message whose attempts are used up, or that is too
/// old, is a dead letter.
struct DeliveryQueue {
    /// A step, which the outbox does in the order in which it is told.
    enum Action: Hashable {
        case carry(OutboxMessage)
        case remove(OutboxMessage)
        /// It was refused, and is tried again so long from now: write that down.
        case retry(OutboxMessage, in: Duration, isParked: Bool)
        /// It is a dead letter, for this reason.
        case bury(OutboxMessage, reason: String)
        /// Read messages of a lane behind one; ``loaded(_:in:hasMore:)`` follows.
        case load(lane: String, after: Int64)
        /// Read parked messages that are due, but for those that are here; ``loadedParked(_:next:)`` follows.
        case loadParked
        /// The destination cannot be reached any more, for this reason.
        case tellDown(String)
        case tellUp
        case tellDisabled(String)
    }

    /// The limits of what stands in memory; the database has the rest.
    struct Bounds {
        /// The limit of messages in one lane.
        var laneCount = 4096
        /// The limit of bytes in all lanes.
        var bytes = 4 << 20
    }

    /// The time for which a message that is refused holds back those behind it.
    private static let patience = TimeAmount.seconds(30)

    let settings: DestinationSettings
    private let bounds: Bounds
    private let jitter: () -> Double
    private var lanes: [String: DeliveryLane] = [:]
    /// The lanes that may have something to carry, in the order of their turns, each once.
    private var turns = CircularBuffer<String>()
    private var hasTurn: Set<String> = []
    /// The lanes that wait until a refused message is tried again.
    private var held: Set<String> = []
    private var parked = DeliveryLane()
    /// The time when the next parked message is due that is not here; nil when there is none.
    private var nextParked: NIODeadline?
    /// The messages under way, with the lane of each; nil for a parked one.
    private var underWay: [Int64: String?] = [:]
    private(set) var pause = DestinationPause()
    /// The size of what waits here.
    private var bytes = 0

    /// - Parameter jitter: -1 to 1, by chance.
    init(
        _ settings: DestinationSettings, bounds: Bounds = Bounds(),
        jitter: @escaping () -> Double = { .random(in: -1...1) }
    ) {
        self.settings = settings
        self.bounds = bounds
        self.jitter = jitter
    }

    /// The number of messages that are under way.
    var underWayCount: Int { self.underWay.count }

    private func laneName(of message: OutboxMessage) -> String {
        if case .device = self.settings.order { message.device ?? "" } else { "" }
    }

    private var limit: Int {
        switch self.settings.order {
        case .device(let count, _), .none(let count), .pipelined(let count): count
        }
    }

    /// The limit of messages of one lane under way.
    private var laneLimit: Int { if case .device = self.settings.order { 1 } else { self.limit } }

    // MARK: Messages in

    /// A lane has messages in the database, and none was read yet: at the start.
    mutating func found(lane: String) {
        self.lanes[lane, default: DeliveryLane()].hasMore = true
        self.giveTurn(to: lane)
    }

    /// Notes that messages are parked in the database.
    /// - Parameter due: when the first is due.
    mutating func foundParked(due: NIODeadline) {
        self.nextParked = min(self.nextParked ?? due, due)
    }

    mutating func append(_ message: OutboxMessage) {
        let name = self.laneName(of: message)
        let hasRoom =
            self.lanes[name]?.waiting.count ?? 0 < self.bounds.laneCount
            && self.bytes + message.cost <= self.bounds.bytes
        // In place: a lane that is copied copies all that waits in it.
        if self.lanes[name, default: DeliveryLane()].append(message, hasRoom: hasRoom) { self.bytes += message.cost }
        self.giveTurn(to: name)
    }

    /// Messages of a lane were read.
    /// - Parameter hasMore: whether there are more behind them.
    mutating func loaded(_ messages: [OutboxMessage], in name: String, hasMore: Bool) {
        guard var lane = self.lanes.removeValue(forKey: name) else { return }
        lane.isLoading = false
        lane.hasMore = hasMore
        for message in messages {
            lane.append(message)
            self.bytes += message.cost
        }
        self.lanes[name] = lane
        self.giveTurn(to: name)
    }

    /// Parked messages that are due were read.
    /// - Parameter next: when the next one is due; nil when there is none.
    mutating func loadedParked(_ messages: [OutboxMessage], next: NIODeadline?) {
        self.parked.isLoading = false
        self.nextParked = next
        for message in messages where self.underWay[message.sequence] == nil {
            self.parked.append(message)
            self.bytes += message.cost
        }
    }

    mutating func forget(_ sequences: Set<Int64>) {
        self.bytes -= self.parked.remove { sequences.contains($0.sequence) }
        for name in self.lanes.keys {
            self.bytes -= self.lanes[name]?.remove { sequences.contains($0.sequence) } ?? 0
        }
    }

    private mutating func giveTurn(to lane: String) {
        if self.hasTurn.insert(lane).inserted { self.turns.append(lane) }
    }

    // MARK: Outcomes

    /// Settles a message that was under way.
    /// - Returns: what is to be done, but for what can be carried now: ``advance(to:wallClock:)`` says that.
    mutating func settle(_ message: OutboxMessage, _ outcome: DeliveryOutcome, at now: NIODeadline) -> [Action] {
        guard let name = self.underWay.removeValue(forKey: message.sequence) else { return [] }
        if let name {
            self.lanes[name]?.underWay -= 1
            self.giveTurn(to: name)
        }
        switch outcome {
        case .delivered:
            if let name { self.release(name) }
            self.dropIfIdle(name)
            return [.remove(message)] + (self.pause.reached() ? [.tellUp] : [])
        case .refused(let reason):
            let isUp = self.pause.reached()
            let action = self.refuse(message, in: name, reason, at: now)
            self.dropIfIdle(name)
            return [action] + (isUp ? [.tellUp] : [])
        case .unavailable(let reason, let retryAfter):
            self.putBack(message, in: name)
            let isDown = self.pause.missed(retryAfter: retryAfter, jitter: self.jitter(), at: now)
            return isDown ? [.tellDown(reason)] : []
        case .absent:
            let isUp = self.pause.reached()
            self.putBack(message, in: name)
            if let name {
                self.lanes[name]?.heldUntil = now + Self.patience
                self.held.insert(name)
            }
            return isUp ? [.tellUp] : []
        case .gone(let reason):
            self.putBack(message, in: name)
            guard self.pause.state != .disabled else { return [] }
            self.pause.disable()
            return [.tellDisabled(reason)]
        }
    }

    private mutating func refuse(
        _ message: OutboxMessage, in name: String?, _ reason: String, at now: NIODeadline
    ) -> Action {
        var message = message
        message.attempts += 1
        guard let delay = self.settings.retry.delay(afterAttempts: message.attempts, jitter: self.jitter()) else {
            if let name { self.release(name) }
            return .bury(message, reason: reason)
        }
        if let name, case .device(_, let isStrict) = self.settings.order {
            let since = self.lanes[name]?.refusedSince ?? now
            if isStrict || now + TimeAmount(delay) <= since + Self.patience {
                self.lanes[name]?.refusedSince = since
                self.lanes[name]?.heldUntil = now + TimeAmount(delay)
                self.held.insert(name)
                self.putBack(message, in: name)
                return .retry(message, in: delay, isParked: false)
            }
            self.release(name)
        }
        self.foundParked(due: now + TimeAmount(delay))
        return .retry(message, in: delay, isParked: true)
    }

    private mutating func putBack(_ message: OutboxMessage, in name: String?) {
        self.bytes += message.cost
        if let name {
            self.lanes[name, default: DeliveryLane()].putBack(message)
        } else {
            self.parked.putBack(message)
        }
    }

    private mutating func release(_ name: String) {
        self.lanes[name]?.heldUntil = nil
        self.lanes[name]?.refusedSince = nil
        self.held.remove(name)
    }

    private mutating func dropIfIdle(_ name: String?) {
        // The one lane of all messages remembers what was read.
        guard let name, case .device = self.settings.order, self.lanes[name]?.isIdle == true else { return }
        self.lanes[name] = nil
    }

    /// The destination says that it can be reached, or an operator wants it to be tried.
    mutating func resume() { self.pause.resume() }

    mutating func resume(device: String) {
        guard self.lanes[device]?.heldUntil != nil, self.lanes[device]?.refusedSince == nil else { return }
        self.release(device)
        self.giveTurn(to: device)
    }

    // MARK: Time

    /// The time when ``advance(to:wallClock:)`` has to be called next, if nothing happens before; nil for never.
    var nextInstant: NIODeadline? {
        if self.pause.state == .disabled { return nil }
        if let end = self.pause.end { return end }
        let releases = self.held.compactMap { self.lanes[$0]?.heldUntil }
        // With no room the next outcome comes before.
        let parked = self.mayLoadParked ? self.nextParked : nil
        return (releases + [parked].compactMap { $0 }).min()
    }

    /// Lets time pass, and says what is to be carried or read now.
    /// - Parameter wallClock: milliseconds since 1970, by which messages are too old.
    mutating func advance(to now: NIODeadline, wallClock: Int64) -> [Action] {
        self.pause.pass(to: now)
        for name in self.held where self.lanes[name]?.heldUntil.map({ $0 <= now }) ?? true {
            self.lanes[name]?.heldUntil = nil
            self.held.remove(name)
            self.giveTurn(to: name)
        }
        var actions: [Action] = []
        if let due = self.nextParked, due <= now, self.mayLoadParked {
            self.parked.isLoading = true
            actions.append(.loadParked)
        }
        while self.pause.room(beside: self.underWay.count, of: self.limit) > 0 {
            guard let action = self.next(wallClock) else { break }
            actions.append(action)
        }
        return actions
    }

    /// True if parked messages are wanted: those that are due and under way would be read again and again while there is no room for
    /// others.
    private var mayLoadParked: Bool {
        self.parked.waiting.isEmpty && !self.parked.isLoading
            && self.pause.room(beside: self.underWay.count, of: self.limit) > 0
    }

    /// The next message to be carried, read or buried.
    private mutating func next(_ wallClock: Int64) -> Action? {
        let limit = self.laneLimit
        while let name = self.turns.popFirst() {
            self.hasTurn.remove(name)
            switch self.lanes[name]?.takeTurn(limit: limit) {
            case .load(let sequence): return .load(lane: name, after: sequence)
            case .message(let message):
                self.bytes -= message.cost
                self.giveTurn(to: name)
                if self.isTooOld(message, wallClock) {
                    self.lanes[name]?.underWay -= 1
                    self.lanes[name]?.refusedSince = nil
                    return .bury(message, reason: "too old")
                }
                self.underWay.updateValue(name, forKey: message.sequence)
                return .carry(message)
            case .nothing: self.dropIfIdle(name)
            case nil: continue
            }
        }
        guard let message = self.parked.popFirst() else { return nil }
        self.bytes -= message.cost
        if self.isTooOld(message, wallClock) { return .bury(message, reason: "too old") }
        self.underWay.updateValue(nil, forKey: message.sequence)
        return .carry(message)
    }

    private func isTooOld(_ message: OutboxMessage, _ wallClock: Int64) -> Bool {
        if let expires = message.expires, wallClock >= expires { return true }
        return wallClock - message.takenAt > self.settings.age.wholeMilliseconds
    }
}
