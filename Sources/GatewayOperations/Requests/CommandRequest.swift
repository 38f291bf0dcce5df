public import CastWire
public import SystemPrimitives

/// A call of a command as a resource: callers look at it while it goes on, and for ten minutes after its end.
public struct CommandRequest: Sendable {
    /// How far a request is. Raw values are written in answers and events.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The gateway works on it; nothing was sent to the device.
        case accepted
        /// The device has been asked.
        case sent
        /// The device's own status shows it, or its answer says so.
        case confirmed
        /// It was not done.
        case failed
        /// A newer command took its place.
        case superseded
        /// The device did not answer in time.
        case timedOut = "timed_out"
        /// The caller took it back, or the gateway stopped.
        case cancelled
        /// The channel was lost after the device had been asked, so it may have been done.
        case unknown

        /// Whether nothing more comes of it.
        public var isEnd: Bool { self != .accepted && self != .sent }
    }

    /// Its id: `r-`, the run of the gateway, and a number.
    public let id: String
    /// The operation.
    public let operation: OperationName
    /// Who asked.
    public let caller: Caller
    /// The device that it is about, by its name in the gateway; nil until that is known.
    public internal(set) var device: String?
    /// What the input names as `device`, as the caller wrote it; nil when it names none.
    private let namedDevice: String?
    /// When it was accepted, in seconds since 1970.
    public let acceptedAt: Double
    /// How far it is.
    public internal(set) var state = State.accepted
    /// How far the work is, as it was told last; nil while nothing was told.
    public internal(set) var progress: CommandProgress?
    /// When it ended, in seconds since 1970.
    public internal(set) var endedAt: Double?
    /// What came of it; nil while it goes on.
    public internal(set) var outcome: OperationCatalogue.Outcome?

    init(id: String, operation: OperationName, caller: Caller, namedDevice: String?, acceptedAt: Double) {
        self.id = id
        self.operation = operation
        self.caller = caller
        self.namedDevice = namedDevice
        self.acceptedAt = acceptedAt
    }

    /// What operations tell of a request.
    public static let members: [OperationResult.Member] = [
        .init("request", .text, "Its id"),
        .init("operation", .text, "The operation"),
        .init("state", .word(State.allCases.map(\.rawValue)), "How far it is"),
        .optional(
            "device", .text, "The device, by its name in the gateway; until that is known, as the caller wrote it"),
        .init("accepted_at", .number, "When it was accepted, in seconds since 1970"),
        .optional("ended_at", .number, "When it ended, in seconds since 1970"),
        .optional(
            "progress",
            .object([
                .optional("fraction", .number, "How much is done, from 0 to 1"),
                .optional("text", .text, "What is being done"),
            ]), "How far the work is, when the operation tells that"),
        .optional("result", .map(.anything), "What the operation answers, for the caller that asked"),
        .optional("problem", .map(.anything), "Why it was not done, as a problem detail"),
    ]

    /// The request as callers see it.
    /// - Parameter reader: who looks; the result is for the caller that asked.
    public func json(for reader: Caller) -> JSONObject {
        var json = self.facts
        if self.device == nil, let namedDevice { json["device"] = .string(namedDevice) }
        if case .success(let answer)? = self.outcome, reader == self.caller { json["result"] = .object(answer.body) }
        return json
    }

    /// The request without its result, and without what a caller alone says of a device: what events say of it.
    public var facts: JSONObject {
        var json: JSONObject = [
            "request": .string(self.id), "operation": .string(self.operation.rawValue),
            "state": .string(self.state.rawValue),
        ]
        if let device = self.device { json["device"] = .string(device) }
        json["accepted_at"] = .number(self.acceptedAt)
        if let endedAt = self.endedAt { json["ended_at"] = .number(endedAt) }
        if let progress = self.progress {
            var object: JSONObject = [:]
            object["fraction"] = progress.fraction.map { .number($0) }
            object["text"] = progress.text.map { .string($0) }
            json["progress"] = .object(object)
        }
        if case .failure(let problem)? = self.outcome { json["problem"] = .object(problem.json) }
        return json
    }
}

extension CommandRequest.State {
    /// What an outcome makes of a request.
    init(_ outcome: OperationCatalogue.Outcome) {
        guard case .failure(let problem) = outcome else {
            self = .confirmed
            return
        }
        switch problem.code {
        case "superseded": self = .superseded
        case "timeout": self = .timedOut
        case "cancelled": self = .cancelled
        case "outcome_unknown": self = .unknown
        default: self = .failed
        }
    }
}
