import CastWire
import GatewayCore
import GatewayOperations
import Logging
import NIOCore
import Synchronization

/// Takes commands from the broker, has them carried out by the catalogue of operations, and answers.
final class MQTTCommandExecutor: Sendable {
    /// The parts of the gateway that the desk uses.
    struct Surroundings: Sendable {
        var topics: MQTTTopics
        /// The topics for answers beside the gateway's own.
        var responseTopics: [MQTTTopicFilter] = []
        var reservedPrefixes: [String] = []
        /// Calls an operation.
        var call: @Sendable (OperationName, JSONObject, Caller) async -> OperationCatalogue.Outcome
        /// Finds the caller; nil for an unknown principal.
        var caller: @Sendable (_ principal: String?) -> Caller?
        /// Finds the language for failures of devices, by who calls; nil to leave it out.
        var language: @Sendable (_ principal: String?) -> ErrorLanguage? = { _ in nil }
        /// Makes the reference by which operations find the device of a topic.
        var reference: @Sendable (_ device: String) -> String = { $0 }
        var publish: @Sendable (MQTTPublication) -> Void
        var now: @Sendable () -> NIODeadline = { .now() }
        var count: @Sendable (MQTTCommandOutcome) -> Void = { _ in }
    }

    /// After so many seconds the broker forgets an answer that its caller has not fetched.
    static let replyExpiry: UInt32 = 60

    private struct State {
        var queue: MQTTCommandQueue<MQTTCommand>
        var duplicates = MQTTDuplicates()
        var lines = LogThrottle<String>(linesPerWindow: 5)
    }

    private let surroundings: Surroundings
    private let logger: Logger
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(
        _ surroundings: Surroundings, limits: MQTTCommandQueue<MQTTCommand>.Limits = .init(), logger: Logger
    ) {
        self.surroundings = surroundings
        self.logger = logger
        self.state = Mutex(State(queue: MQTTCommandQueue(limits: limits)))
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes a message that came by a command topic. Returns at once.
    func offer(_ message: MQTTInbound) {
        guard !message.isRetained else {
            self.surroundings.count(.retained)
            // It was published some time ago, and would be carried out at every connection.
            self.log("A retained command is not carried out", topic: message.topic, key: "retained")
            return
        }
        let command: MQTTCommand
        do throws(MQTTCommand.Refusal) {
            command = try MQTTCommand(
                message, topics: self.surroundings.topics, responseTopics: self.surroundings.responseTopics,
                reservedPrefixes: self.surroundings.reservedPrefixes,
                reference: self.surroundings.reference)
        } catch {
            self.surroundings.count(.invalid)
            self.fail(error.problem, topic: message.topic, to: error.reply)
            return
        }
        let now = self.surroundings.now()
        let (finding, isTaken) = self.state.withLock { state -> (MQTTDuplicates.Finding, Bool) in
            let finding = command.identity.map { state.duplicates.find($0, at: now) } ?? .new
            guard finding == .new else { return (finding, false) }
            let isTaken = state.queue.append(command, lane: command.lane)
            // It was not carried out, so it is when it is sent again.
            if !isTaken, let identity = command.identity { state.duplicates.forget(identity) }
            return (finding, isTaken)
        }
        switch (finding, isTaken) {
        case (.underWay, _), (.answered, _):
            self.surroundings.count(.duplicate)
            self.log(
                "A command came twice, and is carried out once", topic: message.topic, key: "duplicate", at: .debug)
            // Who asks again has not had the answer: the connection of one of the two was lost.
            if case .answered(let answer) = finding, let reply = command.reply { self.answer(answer, to: reply) }
        case (.new, true): self.wake.yield()
        case (.new, false):
            self.surroundings.count(.overflow)
            let problem = OperationProblem("too_many_requests", status: 429, "too many commands wait to be carried out")
            self.fail(problem, topic: message.topic, to: command.reply)
        }
    }

    /// Carries commands out until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in self.wakes {
                while let (command, lane) = self.state.withLock({ $0.queue.next() }) {
                    group.addTask {
                        await self.perform(command)
                        self.state.withLock { $0.queue.finish(lane: lane) }
                        self.wake.yield()
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func perform(_ command: MQTTCommand) async {
        guard let caller = self.surroundings.caller(command.principal) else {
            self.surroundings.count(.failed)
            let problem = OperationProblem("unauthorized", status: 401, "there is no such principal")
            self.fail(problem, topic: "rpc/\(command.operation)", to: command.reply)
            return
        }
        switch await self.surroundings.call(command.operation, command.input, caller) {
        case .success(let answer):
            self.surroundings.count(.done)
            guard let reply = command.reply else { return }
            self.answer(["ok": true, "result": .object(answer.body)], to: reply, remembering: command.identity)
        case .failure(let problem):
            self.surroundings.count(.failed)
            let problem = self.surroundings.language(command.principal).map(problem.localized) ?? problem
            self.fail(problem, topic: "\(command.operation)", to: command.reply, remembering: command.identity)
        }
    }

    // MARK: Answers

    private func fail(
        _ problem: OperationProblem, topic: String, to reply: MQTTCommand.Reply?, remembering identity: String? = nil
    ) {
        guard let reply else {
            self.log("A command is not carried out", topic: topic, key: problem.code, reason: "\(problem)")
            return
        }
        var error = problem.json
        error["type"] = nil
        error["message"] = error["detail"]
        error["detail"] = nil
        self.answer(["ok": false, "error": .object(error)], to: reply, remembering: identity)
    }

    /// - Parameter identity: of the command, under which the answer is remembered; nil for not at all.
    private func answer(_ answer: JSONObject, to reply: MQTTCommand.Reply, remembering identity: String? = nil) {
        var whole = answer
        if let id = reply.id { whole["id"] = id }
        var payload = ByteBuffer()
        JSONWriter.write(.object(whole), to: &payload)
        if let identity {
            self.state.withLock { $0.duplicates.remember(answer, of: payload.readableBytes, for: identity) }
        }
        self.surroundings.publish(
            MQTTPublication(
                topic: reply.topic, payload: payload, contentType: "application/json", expiry: Self.replyExpiry,
                correlation: reply.correlation))
    }

    private func log(
        _ text: Logger.Message, topic: String, key: String, reason: String? = nil, at level: Logger.Level = .warning
    ) {
        var metadata: Logger.Metadata = ["topic": "\(topic.prefix(200))"]
        if let reason { metadata["reason"] = "\(reason.prefix(500))" }
        let now = self.surroundings.now()
        let level = self.state.withLock { $0.lines.level(level, for: key, at: now, metadata: &metadata) }
        self.logger.log(level: level, text, metadata: metadata)
    }
}
