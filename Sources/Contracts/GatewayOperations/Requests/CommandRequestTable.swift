import CastWire
import SystemPrimitives

/// The requests that go on, and those that ended a short while ago.
///
/// Knows no clock: instants are passed in. Everything in it is bounded. A request with an idempotency key is kept for ten minutes,
/// and when there are too many of those, new keys are refused: a forgotten key would let a command be carried out twice. Requests
/// without a key make room for newer ones.
struct CommandRequestTable {
    /// How much is kept.
    struct Limits: Sendable {
        /// How many requests may go on at once, and how many of them may be one caller's.
        var underWay = 1024
        var underWayOfCaller = 256
        /// How many requests with a key are kept, and how many of them may be one caller's.
        var keys = 16_384
        var keysOfCaller = 4096
        /// How many ended requests without a key are kept.
        var ended = 1024
        /// How long a request is kept: with a key from its beginning, without one from its end.
        var age = Duration.seconds(600)
    }

    /// What becomes of a call.
    enum Admission {
        /// It is carried out, as this request.
        case new(CommandRequest)
        /// It was asked for before, as this request.
        case repeated(String)
        /// It is not carried out.
        case refused(OperationProblem)
    }

    private struct Key: Hashable {
        let caller: Caller
        let text: String
    }

    private struct Entry {
        var request: CommandRequest
        let key: Key?
        let fingerprint: Int
        var wasSent = false
    }

    private let run: String
    private let limits: Limits
    private var number = 0
    private var entries: [String: Entry] = [:]
    private var keys: [Key: String] = [:]
    private var keyCounts: [Caller: Int] = [:]
    private var underWay: [Caller: Int] = [:]
    private var underWayCount = 0
    /// Requests with a key by their beginning, and those without by their end.
    private var keyed = ExpiryQueue()
    private var ended = ExpiryQueue()

    /// - Parameter run: tells the ids of this run of the gateway from those of others.
    init(run: String, limits: Limits = Limits()) {
        self.run = run
        self.limits = limits
    }

    /// The requests that go on, the oldest first.
    var open: [CommandRequest] {
        self.entries.values.map(\.request).filter { !$0.state.isEnd }
            .sorted { ($0.acceptedAt, $0.id) < ($1.acceptedAt, $1.id) }
    }

    /// One request; nil for one that is unknown or forgotten.
    func request(_ id: String) -> CommandRequest? { self.entries[id]?.request }

    /// Takes a call.
    /// - Parameters:
    ///   - now: since any fixed instant.
    ///   - time: in seconds since 1970.
    mutating func admit(
        _ operation: OperationName, _ input: JSONObject, for caller: Caller, key text: String?, at now: Duration,
        time: Double
    ) -> Admission {
        self.expire(at: now)
        let key = text.map { Key(caller: caller, text: $0) }
        var hasher = Hasher()
        hasher.combine(operation)
        hasher.combine(input)
        let fingerprint = hasher.finalize()
        if let key, let id = self.keys[key], let entry = self.entries[id] {
            guard entry.request.operation == operation, entry.fingerprint == fingerprint else {
                return .refused(
                    OperationProblem(
                        "idempotency_key_reused", status: 422,
                        "the Idempotency-Key stands for another call: '\(entry.request.operation)', \(id)"))
            }
            return .repeated(id)
        }
        if key != nil,
            self.keys.count >= self.limits.keys || self.keyCounts[caller, default: 0] >= self.limits.keysOfCaller
        {
            return .refused(Self.tooMany("too many idempotency keys are kept; the oldest is free in minutes"))
        }
        guard self.underWayCount < self.limits.underWay,
            self.underWay[caller, default: 0] < self.limits.underWayOfCaller
        else { return .refused(Self.tooMany("too many commands are under way")) }
        self.number += 1
        let request = CommandRequest(
            id: "r-\(self.run)-\(self.number)", operation: operation, caller: caller,
            namedDevice: input.string("device"),
            acceptedAt: time)
        self.entries[request.id] = Entry(request: request, key: key, fingerprint: fingerprint)
        self.underWay[caller, default: 0] += 1
        self.underWayCount += 1
        if let key {
            self.keys[key] = request.id
            self.keyCounts[caller, default: 0] += 1
            self.keyed.append(request.id, at: now)
        }
        return .new(request)
    }

    private static func tooMany(_ detail: String) -> OperationProblem {
        OperationProblem("too_many_requests", status: 429, detail)
    }

    /// It is known which device a request is about.
    mutating func concerns(_ id: String, device: String) {
        self.entries[id]?.request.device = device
    }

    /// The device has been asked.
    /// - Returns: the request as it stands; nil when that was known before, and for one that has ended.
    mutating func sent(_ id: String) -> CommandRequest? {
        guard self.entries[id]?.request.state == .accepted else { return nil }
        self.entries[id]?.request.state = .sent
        self.entries[id]?.wasSent = true
        return self.entries[id]?.request
    }

    /// Whether the device was asked; false for a request that is forgotten.
    func wasSent(_ id: String) -> Bool { self.entries[id]?.wasSent ?? false }

    /// The work is so far.
    /// - Returns: the request as it stands; nil for one that has ended, or when nothing is new.
    mutating func progressed(_ id: String, _ progress: CommandProgress) -> CommandRequest? {
        guard let request = self.entries[id]?.request, !request.state.isEnd, request.progress != progress else {
            return nil
        }
        self.entries[id]?.request.progress = progress
        return self.entries[id]?.request
    }

    /// A request is over.
    /// - Returns: the request as it ended; nil for one that had ended before.
    mutating func end(
        _ id: String, with outcome: OperationCatalogue.Outcome, at now: Duration, time: Double
    ) -> CommandRequest? {
        guard var entry = self.entries[id], !entry.request.state.isEnd else { return nil }
        let outcome = entry.request.state == .sent ? Self.unclear(outcome) : outcome
        entry.request.outcome = outcome
        entry.request.state = CommandRequest.State(outcome)
        entry.request.endedAt = time
        self.entries[id] = entry
        self.underWayCount -= 1
        let caller = entry.request.caller
        self.underWay[caller] = self.underWay[caller].flatMap { $0 > 1 ? $0 - 1 : nil }
        if entry.key == nil {
            self.ended.append(id, at: now)
            if self.ended.count > self.limits.ended { self.ended.removeFirst().map { self.forget($0) } }
        }
        return entry.request
    }

    /// What a device has been asked it may do all the same.
    private static func unclear(_ outcome: OperationCatalogue.Outcome) -> OperationCatalogue.Outcome {
        guard CommandRequest.State(outcome) == .cancelled else { return outcome }
        return .failure(
            OperationProblem(
                "outcome_unknown", status: 504, "taken back after the device had been asked, so it may have been done"))
    }

    /// Forgets what is old enough; a request that still goes on stays.
    private mutating func expire(at now: Duration) {
        while let id = self.ended.first(olderThan: now - self.limits.age) {
            _ = self.ended.removeFirst()
            self.forget(id)
        }
        while let id = self.keyed.first(olderThan: now - self.limits.age) {
            _ = self.keyed.removeFirst()
            if self.entries[id]?.request.state.isEnd == true {
                self.forget(id)
            } else {
                self.keyed.append(id, at: now)
            }
        }
    }

    private mutating func forget(_ id: String) {
        guard let entry = self.entries.removeValue(forKey: id), let key = entry.key else { return }
        self.keys[key] = nil
        self.keyCounts[key.caller] = self.keyCounts[key.caller].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

/// Ids in the order in which they expire.
private struct ExpiryQueue {
    private var items: [(id: String, instant: Duration)] = []
    private var head = 0

    var count: Int { self.items.count - self.head }

    mutating func append(_ id: String, at instant: Duration) {
        self.items.append((id, instant))
    }

    func first(olderThan instant: Duration) -> String? {
        guard self.count > 0, self.items[self.head].instant < instant else { return nil }
        return self.items[self.head].id
    }

    mutating func removeFirst() -> String? {
        guard self.count > 0 else { return nil }
        defer {
            self.head += 1
            if self.head > 512, self.head * 2 > self.items.count {
                self.items.removeFirst(self.head)
                self.head = 0
            }
        }
        return self.items[self.head].id
    }
}
