package import CastWire
package import SystemPrimitives

/// A call of a command as a resource: callers look at it while it goes on, and for ten minutes after its end.
package struct CommandRequest: Sendable {
    /// How far a request is. Raw values are written in answers and events.
    package enum State: String, Sendable, Hashable, CaseIterable {
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
        package var isEnd: Bool { self != .accepted && self != .sent }
    }

    /// Its id: `r-`, the run of the gateway, and a number.
    package let id: String
    package let operation: OperationName
    /// Who asked.
    package let caller: Caller
    /// The device that it is about, by its name in the gateway; nil until that is known.
    package internal(set) var device: String?
    /// What the input names as `device`, as the caller wrote it; nil when it names none.
    fileprivate let namedDevice: String?
    /// When it was accepted, in seconds since 1970.
    package let acceptedAt: Double
    /// How far it is.
    package internal(set) var state = State.accepted
    /// How far the work is, as it was told last; nil while nothing was told.
    package internal(set) var progress: CommandProgress?
    /// When it ended, in seconds since 1970.
    package internal(set) var endedAt: Double?
    /// What came of it; nil while it goes on.
    package internal(set) var outcome: OperationCatalogue.Outcome?

    init(id: String, operation: OperationName, caller: Caller, namedDevice: String?, acceptedAt: Double) {
        self.id = id
        self.operation = operation
        self.caller = caller
        self.namedDevice = namedDevice
        self.acceptedAt = acceptedAt
    }

    /// The request as callers see it.
    /// - Parameter reader: who looks; the result is for the caller that asked.
    package func json(for reader: Caller) -> JSONObject { CommandRequestResult.json((self, reader)) }

    /// The request without its result, and without what a caller alone says of a device: what events say of it.
    package var facts: JSONObject { CommandRequestResult.json((self, nil)) }
}

/// A request, as operations answer with it.
package struct CommandRequestResult: ResultRecord {
    /// A request, and the caller that looks; nil for events.
    package typealias Source = (request: CommandRequest, reader: Caller?)

    package let id = Field("request", "Its id") { $0.request.id }
    package let operation = Field("operation", "The operation") { $0.request.operation.rawValue }
    package let state = Field("state", "How far it is") { $0.request.state }
    package let device = Field.optional(
        "device", "The device, by its name in the gateway; until that is known, as the caller wrote it"
    ) { $0.request.device ?? ($0.reader == nil ? nil : $0.request.namedDevice) }
    package let acceptedAt = Field("accepted_at", "When it was accepted, in seconds since 1970") {
        $0.request.acceptedAt
    }
    package let endedAt = Field.optional("ended_at", "When it ended, in seconds since 1970") { $0.request.endedAt }
    package let progress = Field.optional(
        "progress", CommandProgressResult.self, "How far the work is, when the operation tells that"
    ) { $0.request.progress }
    package let answer = Field.optional("result", "What the operation answers, for the caller that asked") { source in
        source.reader == source.request.caller ? try? source.request.outcome?.get().body : nil
    }
    package let problem = Field.optional("problem", "Why it was not done, as a problem detail") { source in
        if case .failure(let problem)? = source.request.outcome { problem.json } else { nil }
    }

    package static let layout = ResultLayout(CommandRequestResult())
}

/// The progress of a request, as operations answer with it.
package struct CommandProgressResult: ResultRecord {
    package typealias Source = CommandProgress

    package let fraction = Field.optional("fraction", "How much is done, from 0 to 1") { $0.fraction }
    package let text = Field.optional("text", "What is being done") { $0.text }

    package static let layout = ResultLayout(CommandProgressResult())
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
