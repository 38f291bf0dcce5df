import CastWire
import NIOCore

/// A plugin's end of the wire, from its first line to its last: takes lines, runs the plugin, and says what it says.
///
/// Lines come from one thread. A job begins on that thread and mostly ends there; what waits for something carries on
/// wherever it is woken. The state is others': ``SessionActivity`` has the jobs and knows when it is quiet, ``SessionPlugin``
/// the plugin, ``GatewayCalls`` what the plugin asks, ``SessionClock`` the time, ``LineOutput`` the lines that wait to be
/// written. None of them calls another with its lock held.
final class PluginSession: Sendable {
    /// What the plugin asks the gateway.
    let calls: GatewayCalls
    /// The plugin's time.
    let clock: SessionClock
    private let activity = SessionActivity()
    private let plugin: SessionPlugin
    private let output: LineOutput
    /// Called when all is over, with the exit code.
    private let end: @Sendable (Int32) -> Void

    /// - Parameter identity: which plugin it is, when the gateway does not say.
    init(
        _ type: any CastPlugin.Type, identity: PluginIdentity?, output: any LineSink,
        end: @escaping @Sendable (Int32) -> Void
    ) {
        self.output = LineOutput(output)
        self.plugin = SessionPlugin(type, identity: identity)
        self.calls = GatewayCalls(activity: self.activity, output: self.output)
        self.clock = SessionClock(activity: self.activity)
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
        case .operation(let id, let call): self.add(.operation(PluginJob.Operation(id, call)), to: .operation(call.id))
        case .abort(let abort): self.activity.abort(abort.call)
        case .cancel(let notice): self.activity.cancel(notice)
        case .response(let response): self.calls.answered(response)
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
        switch self.activity.admit(job, to: key) {
        case .begin(let job, let place): self.run(job, in: key, place)
        case .refused(let error):
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
                if let job = self.activity.finished(key, place) { self.run(job, in: key, place) }
            }
            next = self.activity.begun(key, place, task: task)
        }
    }

    private func perform(_ job: PluginJob) async {
        switch job {
        case .message(let message): await self.decide(message)
        case .event(let event): await self.happen(event.event)
        case .operation(let operation): await self.operate(operation)
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
        guard !self.plugin.isMade, error.code != .invalidRequest else { return }
        self.output.flush()
        self.end(error.code == .configurationInvalid ? PluginProtocol.exitCodeConfiguration : 1)
    }

    // MARK: Operations

    private func operate(_ operation: PluginJob.Operation) async {
        let id = operation.id
        do throws(PluginRPCError) {
            let result = try await self.plugin.outcome(of: operation.call)
            guard !Task.isCancelled else { return }
            self.output.append { RPCWriter.result(id, OperationOutcome.done(result).json, to: &$0) }
        } catch {
            guard !Task.isCancelled else { return }
            self.refuse(id, error)
        }
    }

    /// Says how far an operation is; it is left out when too much waits.
    func progressed(_ progress: OperationProgress) {
        guard !self.output.isCongested else { return }
        self.output.append { PluginLine.progress(progress).write(to: &$0) }
    }

    // MARK: Messages and events

    private func decide(_ message: PluginJob.Message) async {
        let (id, request) = (message.id, message.request)
        let verdict: Verdict
        do {
            guard let decided = try await self.plugin.verdict(on: request) else { return }
            verdict = decided
        } catch {
            guard !Task.isCancelled else { return }
            let error = error as? PluginRPCError ?? PluginRPCError(.internalError, "\(error)")
            return self.refuse(id, error)
        }
        guard !Task.isCancelled else { return }
        // Written before it is noted: a completion in between finds no note, and is written behind it.
        self.output.append { verdict.write(id: id, to: &$0) }
        guard case .deferred = verdict.disposition else { return }
        let messageID = request.message.id
        guard let early = self.activity.postpone(messageID) else { return }
        self.output.append { MessageCompletion(messageID: messageID, verdict: early).write(to: &$0) }
    }

    /// Decides about a message that was deferred.
    func complete(_ messageID: String, with verdict: Verdict) {
        guard let quiet = self.activity.complete(messageID, with: verdict) else { return }
        self.output.append { MessageCompletion(messageID: messageID, verdict: verdict).write(to: &$0) }
        for waiter in quiet { waiter.resume() }
    }

    private func happen(_ event: PluginEvent) async {
        do {
            try await self.plugin.happened(event)
        } catch {
            self.log(
                PluginLogRecord(.error, "an event could not be taken: \(error)", fields: ["type": .string(event.type)]))
        }
    }

    /// Says a line for the gateway's log; it is left out when too much waits.
    func log(_ record: PluginLogRecord) {
        guard !self.output.isCongested else { return }
        self.output.append { PluginLine.log(record).write(to: &$0) }
    }

    /// Says another health without being asked.
    func healthChanged(_ health: PluginHealth) {
        self.output.append { PluginLine.healthChanged(health).write(to: &$0) }
    }

    // MARK: Requests about the plugin itself

    private func control(_ line: GatewayLine) async throws(PluginRPCError) -> JSONObject {
        switch line {
        case .initialize(_, let request): return try await self.initialize(request).json
        case .start(_, let snapshot):
            try await self.start(snapshot)
            return [:]
        case .health: return await self.plugin.health().json
        case .reload(_, let request): return try await self.plugin.reload(request).json
        case .drain(_, let request):
            self.activity.beginDraining()
            await self.activity.quiet(.noMessages, within: request.deadline)
            await self.plugin.drain()
            return [:]
        case .shutdown:
            self.activity.stop()
            self.calls.refuseMore()
            return [:]
        case .advanceClock(_, let time):
            guard self.clock.isTest else { throw PluginRPCError(.methodNotFound, "the clock is the machine's") }
            return ClockReading(now: await self.clock.advance(to: time).milliseconds).json
        default: throw PluginRPCError(.methodNotFound, "no request about the plugin's life")
        }
    }

    private func initialize(_ request: InitializeRequest) async throws(PluginRPCError) -> InitializeResult {
        guard self.activity.stage == .new, !self.plugin.wasBegun else {
            throw PluginRPCError(.invalidRequest, "initialize comes once")
        }
        let own = PluginProtocol.versions
        guard own.overlaps(request.versions) else {
            throw PluginRPCError(
                .invalidParameters,
                """
                this plugin speaks version \(own.lowerBound) to \(own.upperBound) of the protocol, the gateway \
                \(request.versions.lowerBound) to \(request.versions.upperBound)
                """)
        }
        if let time = request.testTime { self.clock.follow(PluginInstant(milliseconds: time)) }
        try await self.plugin.make(PluginGateway(self, request))
        self.activity.advance(from: .new, to: .initialized)
        return self.plugin.introduction(to: request)
    }

    private func start(_ snapshot: PluginSnapshot) async throws(PluginRPCError) {
        guard self.activity.stage == .initialized else {
            throw PluginRPCError(.invalidRequest, "start comes once, after initialize")
        }
        try await self.plugin.start(snapshot)
        self.activity.advance(from: .initialized, to: .ready)
    }

    // MARK: The end

    /// Ends the session: calls that wait for the gateway fail.
    func close() {
        self.activity.stop()
        self.calls.close()
    }

    /// Ends the session as ``close()`` does. Nothing is written once this has returned, and nothing of what the end itself
    /// makes jobs say.
    func closeOutput() {
        self.output.close()
        self.close()
    }
}

/// What comes from the gateway, and what is remembered from one line to the next.
struct IncomingLines {
    var splitter = LineSplitter()
    var recall = RouteRecall()
}
