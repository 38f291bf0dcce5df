import CastWire
import NIOCore
import Synchronization

/// A plugin's end of the wire, from its first line to its last: takes lines, runs the plugin, and says what it says.
///
/// Lines come from one thread. A job begins on that thread and mostly ends there; what waits for something carries on
/// wherever it is woken. Nothing is called with the lock held.
final class PluginSession: Sendable {
    struct State {
        var stage = SessionStage.new
        var plugin: (any CastPlugin)?
        var gateway: PluginGateway?
        var flows = FlowTable()
        /// Messages that are decided later.
        var deferred: Set<String> = []
        /// Verdicts that were given before it was said that they come later.
        var early: [String: Verdict] = [:]
        /// The calls to the gateway that are not answered yet.
        var calls: [Int: CheckedContinuation<RPCResponse, Never>] = [:]
        var lastCall = 0
        /// How many jobs do something, other than waiting for the gateway or for time.
        var busy = 0
        /// The callers that wait for quiet.
        var quietWaiters: [QuietWaiter] = []
        var timers = TimerQueue()
        var lastSerial = 0
        /// What time a test says it is; nil for the machine's own.
        var testTime: PluginInstant?
    }

    let state = Mutex(State())
    let output: LineOutput
    private let type: any CastPlugin.Type
    private let identity: PluginIdentity?
    /// Called when all is over, with the exit code.
    private let end: @Sendable (Int32) -> Void

    /// - Parameter identity: which plugin it is, when the gateway does not say.
    init(
        _ type: any CastPlugin.Type, identity: PluginIdentity?, output: any LineSink,
        end: @escaping @Sendable (Int32) -> Void
    ) {
        self.type = type
        self.identity = identity
        self.output = LineOutput(output)
        self.end = end
    }

    // MARK: Lines

    /// Takes what came; answers that are ready at once leave with one write.
    func receive(_ incoming: inout IncomingLines) {
        self.output.hold()
        while let piece = incoming.splitter.next() {
            switch piece {
            case .line(let line): self.receive(line, recalling: &incoming.recall)
            case .oversized(let length):
                let error = PluginRPCError(.tooLarge, "a line of \(length) bytes was skipped")
                self.output.append { RPCWriter.error(nil, error, to: &$0) }
            }
        }
        self.output.release()
    }

    private func receive(_ line: ByteBuffer, recalling recall: inout RouteRecall) {
        do throws(PluginLineFault) {
            try self.take(try GatewayLine(reading: line, recalling: &recall))
        } catch {
            // A malformed response belongs to no request; everything else is answered.
            if error.kind != .invalidResult { self.refuse(error.id, error.error) }
        }
    }

    private func take(_ line: GatewayLine) throws(PluginLineFault) {
        switch line {
        case .message(let id, let request):
            self.add(.message(PluginJob.Message(id, request)), to: .messages(request.message.route))
        case .event(let event): self.add(.event(PluginJob.Event(event)), to: .events)
        case .health(let id): self.add(.control(PluginJob.Control(id, line)), to: .health)
        case .advanceClock(let id, _): self.add(.control(PluginJob.Control(id, line)), to: .clock)
        case .initialize(let id, _), .start(let id, _), .reload(let id, _), .drain(let id, _), .shutdown(let id):
            self.add(.control(PluginJob.Control(id, line)), to: .control)
        case .cancel(let notice): self.cancel(notice)
        case .response(let response): self.answered(response)
        case .unknownRequest(let id, let method):
            self.refuse(id, PluginRPCError(.methodNotFound, "unknown method \(method)"))
        case .unknownNotification: break
        }
    }

    private func refuse(_ id: PluginRequestID?, _ error: PluginRPCError) {
        self.output.append { RPCWriter.error(id, error, to: &$0) }
    }

    // MARK: Jobs

    private func add(_ job: PluginJob, to key: LaneKey) {
        enum Outcome {
            case begin(PluginJob, FlowTable.Place)
            case refuse(PluginRPCError)
            case nothing
        }
        let outcome: Outcome = self.state.withLock { state in
            if case .message = job, state.stage != .ready {
                return .refuse(PluginRPCError(.notReady, "the plugin is \(state.stage.rawValue)"))
            }
            if key == .events, state.plugin == nil { return .nothing }
            switch state.flows.add(job, to: key) {
            case .begin(let job, let place):
                if key != .clock { state.busy += 1 }
                return .begin(job, place)
            case .waits: return .nothing
            case .refused: return .refuse(PluginRPCError(.busy, "too much waits"))
            }
        }
        switch outcome {
        case .begin(let job, let place): self.run(job, in: key, place)
        case .refuse(let error):
            if let id = job.id { self.refuse(id, error) }
        case .nothing: break
        }
    }

    /// Begins a job, and those behind it as long as they end at once.
    private func run(_ first: PluginJob, in key: LaneKey, _ place: FlowTable.Place) {
        var next: PluginJob? = first
        while let job = next {
            let task = Task.immediate {
                await self.perform(job)
                self.finished(key, place)
            }
            next = self.moveOn(key) { $0.begun(place, task: task) }
        }
    }

    private func finished(_ key: LaneKey, _ place: FlowTable.Place) {
        if let job = self.moveOn(key, { $0.finished(place) }) { self.run(job, in: key, place) }
    }

    /// Takes a step in the flows; when that ends a flow, those who wait for quiet learn it.
    private func moveOn(_ key: LaneKey, _ step: (inout FlowTable) -> PluginJob?) -> PluginJob? {
        let (job, quiet): (PluginJob?, [QuietWaiter]) = self.state.withLock { state in
            let flows = state.flows.activeFlows
            let job = step(&state.flows)
            if state.flows.activeFlows < flows, key != .clock { state.busy -= 1 }
            return (job, state.takeQuietWaiters())
        }
        for waiter in quiet { waiter.resume() }
        return job
    }

    private func perform(_ job: PluginJob) async {
        switch job {
        case .message(let message): await self.decide(message)
        case .event(let event): await self.happen(event.event)
        case .control(let control):
            let (id, line) = (control.id, control.line)
            do throws(PluginRPCError) {
                let result = try await self.control(line)
                self.output.append { RPCWriter.result(id, result, to: &$0) }
            } catch {
                self.refuse(id, error)
                if case .initialize = line { self.fail(error) }
            }
            if case .shutdown = line {
                self.output.flush()
                self.end(0)
            }
        }
    }

    /// A plugin that cannot be made does not go on.
    private func fail(_ error: PluginRPCError) {
        let hasPlugin = self.state.withLock { $0.plugin != nil }
        guard !hasPlugin, error.code != .invalidRequest else { return }
        self.output.flush()
        self.end(error.code == .configurationInvalid ? PluginProtocol.exitCodeConfiguration : 1)
    }

    private func decide(_ message: PluginJob.Message) async {
        let (id, request) = (message.id, message.request)
        guard let plugin = self.state.withLock({ $0.plugin }) else { return }
        let verdict: Verdict
        do {
            verdict = try await Self.verdict(of: plugin, on: request)
        } catch {
            guard !Task.isCancelled else { return }
            let error = error as? PluginRPCError ?? PluginRPCError(.internalError, "\(error)")
            return self.refuse(id, error)
        }
        guard !Task.isCancelled else { return }
        guard case .deferred = verdict.disposition else {
            return self.output.append { verdict.write(id: id, to: &$0) }
        }
        let messageID = request.message.id
        // Written before it is noted: a completion in between finds no note, and is written behind it.
        self.output.append { verdict.write(id: id, to: &$0) }
        let early = self.state.withLock { state in
            let early = state.early.removeValue(forKey: messageID)
            if early == nil { state.deferred.insert(messageID) }
            return early
        }
        guard let early else { return }
        self.output.append { MessageCompletion(messageID: messageID, verdict: early).write(to: &$0) }
    }

    private static func verdict(
        of plugin: any CastPlugin, on request: MessageRequest
    ) async throws -> Verdict {
        do {
            switch request.phase {
            case .handle: return try await plugin.handle(request.message)
            case .filter: return try await plugin.filter(request.message)
            case .observe:
                try await plugin.observe(request.message, dropped: 0)
                return .pass
            }
        } catch let rejection as Rejection {
            return .reject(rejection.reason, rejection.message)
        }
    }

    private func happen(_ event: PluginEvent) async {
        guard let plugin = self.state.withLock({ $0.plugin }) else { return }
        do {
            if let message = event.message {
                try await plugin.observe(message, dropped: event.dropped)
            } else {
                try await plugin.event(event)
            }
        } catch {
            self.log(
                PluginLogRecord(.error, "an event could not be taken: \(error)", fields: ["type": .string(event.type)]))
        }
    }

    func log(_ record: PluginLogRecord) {
        guard !self.output.isCongested else { return }
        self.output.append { PluginLine.log(record).write(to: &$0) }
    }

    // MARK: The end

    /// Ends the session: calls that wait for the gateway fail.
    func close() {
        let calls = self.state.withLock { state in
            state.stage = .stopped
            defer { state.calls = [:] }
            return state.calls
        }
        for (id, continuation) in calls {
            let error = PluginRPCError(.notReady, "the gateway is gone")
            continuation.resume(returning: RPCResponse(.number(id), error: error))
        }
    }

    // MARK: What the control jobs need

    func makePlugin(_ gateway: PluginGateway) async throws -> any CastPlugin {
        try await self.type.init(gateway)
    }

    func initializeResult(_ request: InitializeRequest) -> InitializeResult {
        let identity = request.plugin ?? self.identity ?? PluginIdentity(id: "unknown", version: "0")
        var features = [PluginFeature.deferral]
        if request.testTime != nil { features.append(PluginFeature.testClock) }
        return InitializeResult(
            pluginID: identity.id, pluginVersion: identity.version, claims: self.type.claims?.map(PluginClaim.init),
            features: features,
            maximumInFlight: self.type.maximumInFlight)
    }
}

/// What comes from the gateway, and what is remembered from one line to the next.
struct IncomingLines {
    var splitter = LineSplitter()
    var recall = RouteRecall()
}
