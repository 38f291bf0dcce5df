import CastWire
import NIOCore

/// What a media client has its owner do, and its requests that wait for their answers.
struct MediaOutbox: Sendable {
    /// What a request is for.
    enum Purpose: Sendable {
        case command(MediaTrial)
        /// A GET_STATUS of the client's own; what to try again when it is answered.
        case refresh(MediaTrial?)
        case queueIDs
        case queueItems([Int])
    }

    /// A request that came to its end.
    typealias Ended = RequestTracker<Purpose>.Ended

    /// Leaves room for the ids and the namespace beside the payload.
    static let payloadLimit = CastMessage.maximumPayloadLength

    /// How long an answer may take, unless a request says otherwise.
    var answerTimeout: Duration
    private var tracker: RequestTracker<Purpose>
    private var actions: [MediaClientState.Action] = []
    /// The app that is asked.
    var endpoint: EndpointID = ""

    /// - Parameter answerTimeout: how long an answer may take, unless a request says otherwise.
    init(counter: RequestCounter, answerTimeout: Duration) {
        self.tracker = RequestTracker(counter: counter)
        self.answerTimeout = answerTimeout
    }

    // MARK: What is to be done

    /// Tells the subscribers.
    mutating func emit(_ event: MediaEvent) { self.actions.append(.emit(event)) }

    /// Tells the caller of a command.
    mutating func finish(_ ticket: Int, _ outcome: RequestOutcome) {
        self.actions.append(.finish(ticket: ticket, outcome))
    }

    /// Sends a message to the app.
    /// - Parameter ticket: the command that it carries out; nil for a question.
    mutating func send(_ payload: CastMessage.Payload, for ticket: Int? = nil) {
        self.actions.append(.send(payload, ticket: ticket))
    }

    /// Takes out what is to be done, in order.
    mutating func takeActions() -> [MediaClientState.Action] {
        defer { self.actions = [] }
        return self.actions
    }

    // MARK: Requests

    /// When to call ``expire(at:)``.
    var nextDeadline: NIODeadline? { self.tracker.nextDeadline }

    /// How many requests wait for their answers.
    var requestCount: Int { self.tracker.count }

    /// Whether a request waits for its answer.
    func isWaiting(where isMeant: (Purpose) -> Bool) -> Bool { self.tracker.tickets.contains(where: isMeant) }

    /// Numbers a request that is about to be sent.
    /// - Parameters:
    ///   - name: Requests of this name that wait are replaced; nil replaces none.
    ///   - timeout: How long the answer may take; nil for the client's own.
    /// - Returns: what to send, and what it replaces.
    mutating func begin(
        _ message: MediaRequest, for purpose: Purpose, replacing name: String? = nil, timeout: Duration? = nil,
        at now: NIODeadline
    ) throws(RequestError) -> (payload: CastMessage.Payload, replaced: [Ended]) {
        guard self.tracker.hasRoom else {
            throw RequestError(.sendBufferFull, "too many requests wait for answers")
        }
        guard CastMessage.Payload.json(message.json).bytes.readableBytes <= Self.payloadLimit else {
            throw RequestError(.messageTooBig, "the message does not fit into a frame")
        }
        let kind = name.map { RequestTracker<Purpose>.Kind($0, target: self.endpoint.rawValue) }
        let (id, replaced) = self.tracker.begin(
            purpose, in: .media, at: self.endpoint, kind: kind, timeout: timeout ?? self.answerTimeout, now: now)
        var json = message.json
        json["requestId"] = id.json
        return (.json(json), replaced)
    }

    /// Numbers and sends a request that replaces none.
    mutating func ask(_ message: MediaRequest, for purpose: Purpose, at now: NIODeadline) throws(RequestError) {
        let (payload, _) = try self.begin(message, for: purpose, at: now)
        self.send(payload)
    }

    /// The command that a message answers; nil for any other message.
    func ticket(answeredBy payload: CastMessage.Payload) -> Int? {
        guard self.tracker.count > 0, let id = PayloadSummary(peeking: payload).requestID,
            case .command(let trial)? = self.tracker.ticket(of: id)
        else { return nil }
        return trial.ticket
    }

    /// Takes a message of the app's that may be an answer.
    mutating func received(_ json: JSONObject) -> Ended? {
        self.tracker.received(json, in: .media, from: self.endpoint)
    }

    /// Ends the commands of which a message without their numbers shows that they were carried out, and the questions that it answers.
    /// - Parameter isShown: whether it shows that a command was carried out.
    mutating func complete(
        _ json: JSONObject, _ type: MediaResponseType, where isShown: (MediaTrial) -> Bool = { _ in false }
    ) -> [Ended] {
        guard self.tracker.count > 0 else { return [] }
        return self.tracker.complete(json) { purpose in
            if purpose.isAnswered(by: type, json) { return true }
            return if case .command(let trial) = purpose { isShown(trial) } else { false }
        }
    }

    /// Stops waiting for what a command asked; the app may carry it out all the same.
    mutating func cancel(_ ticket: Int) -> [Ended] {
        self.tracker.cancel { purpose in
            switch purpose {
            case .command(let trial), .refresh(.some(let trial)): trial.ticket == ticket
            case .refresh(nil), .queueIDs, .queueItems: false
            }
        }
    }

    /// Ends what waited too long.
    mutating func expire(at now: NIODeadline) -> [Ended] { self.tracker.expire(at: now) }

    /// Ends everything that waits.
    mutating func failAll(_ error: RequestError) -> [Ended] { self.tracker.failAll(error) }
}

extension MediaOutbox.Purpose {
    /// Whether it is a question that a message answers by its kind.
    fileprivate func isAnswered(by type: MediaResponseType, _ json: JSONObject) -> Bool {
        switch (self, type) {
        case (.refresh, .mediaStatus), (.queueIDs, .queueItemIDs): return true
        case (.queueItems(let ids), .queueItems):
            return !(MediaRequest(json: json).items ?? []).allSatisfy { $0.itemID.map { !ids.contains($0) } ?? true }
        case (.command(let trial), .queueItemIDs): return trial.command.type == .queueGetItemIDs
        case (.command(let trial), .queueItems):
            return [.queueGetItems, .queueGetItemRange].contains(trial.command.type)
        case (.command(let trial), .sessionState): return trial.command.type == .storeSession
        default: return false
        }
    }
}
