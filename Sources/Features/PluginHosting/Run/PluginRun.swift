import CastWire
import GatewayCore
import Logging
import NIOCore
import PluginKit
import Synchronization

/// One run of a plugin: from the start of its process to the moment when nothing of it is left.
///
/// ``PluginRunStateMachine`` decides; this class runs its actions. The conversation is a task that goes through
/// `initialize`, waits for ``admit()``, and then answers the plugin's requests, watches its health and tells it events until
/// it is cancelled with the run.
final class PluginRun: Sendable {
    typealias Milestone = PluginRunStateMachine.Milestone

    enum Notice: Sendable {
        case ready(InitializeResult)
        /// Its health changed: what is wrong, or nil when nothing is.
        case health(String?)
        case ended(PluginEnd)
    }

    /// The state of a run, for status and reload.
    struct Facts: Sendable {
        /// The plugin's answer to `initialize`.
        var result: InitializeResult?
        /// The parts of its configuration that the plugin cannot make sense of.
        var problems: [ConfigurationProblem] = []
        var processID: Int32?
        /// The limits that this machine cannot enforce.
        var unenforced: [String] = []
    }

    private struct State {
        var machine = PluginRunStateMachine()
        var instance: PluginInstance
        var bounds: PluginBounds
        var facts = Facts()
        var process: PluginProcess?
        var listener: (any Channel)?
        var connection: PluginConnection?
    }

    let context: PluginContext
    /// Tells runs apart; a later one has a greater number.
    let number: UInt64
    let eventLoop: any EventLoop
    let logger: Logger
    let log: PluginLog
    private let state: Mutex<State>
    private let requests: PluginRequests
    private let milestones: [Milestone: EventLoopPromise<Void>]
    private let onNotice: @Sendable (PluginRun, Notice) -> Void

    /// Prepares a run.
    /// - Parameter onNotice: called from any thread.
    init(
        instance: PluginInstance, context: PluginContext, log: PluginLog, logger: Logger,
        onNotice: @escaping @Sendable (PluginRun, Notice) -> Void
    ) {
        self.state = Mutex(State(instance: instance, bounds: PluginBounds(instance.grant)))
        self.context = context
        self.number = context.devices.nextRun()
        self.log = log
        self.logger = logger
        self.onNotice = onNotice
        let eventLoop = context.eventLoops.next()
        self.eventLoop = eventLoop
        self.requests = PluginRequests(context: context, log: log)
        self.milestones = Dictionary(
            uniqueKeysWithValues: Milestone.allCases.map { ($0, eventLoop.makePromise(of: Void.self)) })
    }

    // MARK: What is known of it

    /// The plugin's entry in `gateway.yaml`, as it was told last.
    var instance: PluginInstance { self.state.withLock { $0.instance } }

    var bounds: PluginBounds { self.state.withLock { $0.bounds } }

    /// The wire, once there is one.
    var connection: PluginConnection? { self.state.withLock { $0.connection } }

    var facts: Facts { self.state.withLock { $0.facts } }

    /// The reason it ends, once that is known.
    var end: PluginEnd? { self.state.withLock { $0.machine.end } }

    /// The folder that the plugin may write to.
    var stateDirectory: String { "\(self.context.stateDirectory)/plugins/\(self.instance.name)" }

    // MARK: Events and actions

    private func handle(_ event: PluginRunStateMachine.Event) {
        let (actions, state) = self.state.withLock { state in (state.machine.handle(event), state) }
        for action in actions {
            switch action {
            case .reach(let milestone): self.milestones[milestone]?.succeed()
            case .miss(let milestone, let reason):
                self.milestones[milestone]?.fail(GatewayError(.unavailable, reason))
            case .killProcess: state.process?.kill()
            case .closeListener: state.listener?.close(promise: nil)
            case .closeWire: state.connection?.close()
            case .announceReady: if let result = state.facts.result { self.onNotice(self, .ready(result)) }
            case .announceEnd(let end): self.onNotice(self, .ended(end))
            }
        }
    }

    func opened(_ process: PluginProcess) {
        self.state.withLock { $0.process = process }
        self.handle(.opened(.process))
    }

    /// Takes the socket that the plugin is to connect to.
    func opened(_ listener: any Channel) {
        self.state.withLock { $0.listener = listener }
        self.handle(.opened(.listener))
    }

    func makeWire() -> PluginWire {
        let wire = PluginWire(bounds: self.bounds, eventLoop: self.eventLoop)
        wire.observer = self
        let connection = PluginConnection(wire, numbers: self.context.numbers)
        self.state.withLock { $0.connection = connection }
        self.handle(.opened(.wire))
        return wire
    }

    func discardWire() {
        self.state.withLock { $0.connection = nil }
    }

    func take(_ report: LauncherReport) {
        switch report {
        case .started(let id):
            self.state.withLock { $0.facts.processID = id }
            self.logger.info("Plugin started", metadata: ["pid": .stringConvertible(id)])
        case .unenforced(let what, let reason):
            self.state.withLock { $0.facts.unenforced.append("\(what): \(reason)") }
            self.logger.warning("A limit cannot be enforced", metadata: ["what": "\(what)", "reason": "\(reason)"])
        case .full(let reason):
            let advice = "see 'resources.state', make room in \(self.stateDirectory), and restart the plugin"
            self.handle(.failed(.unusable("its state folder is too full: \(reason); \(advice)")))
        case .exited, .signalled, .failed, .killed, .enforced, .gone: break
        }
        self.handle(.reported(report))
    }

    func fail(_ end: PluginEnd) { self.handle(.failed(end)) }

    func endNow() { self.handle(.endRequested) }

    // MARK: Life

    func run() async {
        let end: PluginEnd
        switch self.instance.kind {
        case .process: end = await self.runAsProcess()
        case .socket: end = await self.runAtSocket()
        case .module: end = await self.runAsModule()
        }
        self.requests.finish()
        self.context.devices.ended(self.number)
        self.handle(.closed(end))
    }

    func admit() { self.handle(.admitted) }

    /// Waits for a milestone.
    /// - Throws: why it is not reached.
    func wait(for milestone: Milestone) async throws {
        try await self.milestones[milestone]?.futureResult.get()
    }

    /// Waits for a milestone, or until it is sure that it is not reached.
    /// - Returns: false when the time is over before that.
    func wait(for milestone: Milestone, within time: Duration) async -> Bool {
        guard let future = self.milestones[milestone]?.futureResult else { return false }
        let promise = self.eventLoop.makePromise(of: Bool.self)
        let timeout = self.eventLoop.scheduleTask(in: TimeAmount(time)) { promise.succeed(false) }
        future.whenComplete { _ in promise.succeed(true) }
        defer { timeout.cancel() }
        return (try? await promise.futureResult.get()) ?? false
    }

    /// Takes another configuration that the plugin has taken, or need not be told.
    func follow(_ instance: PluginInstance) async {
        let bounds = PluginBounds(instance.grant)
        self.state.withLock { ($0.instance, $0.bounds) = (instance, bounds) }
        if !bounds.provides(.devices) { self.context.devices.ended(self.number) }
        try? await self.connection?.follow(bounds)
    }

    /// Lets it end what it is doing, and ends it; each step has its time, and the last one does not ask.
    /// - Parameter successor: the wire that takes messages which are still on their way to this one.
    func stop(successor: PluginConnection? = nil) async {
        let timings = self.context.timings
        if let connection, self.state.withLock({ $0.machine.wasReady }) {
            let drain = self.instance.settings.drain
            if drain > .zero {
                let began = ContinuousClock.now
                _ = try? await connection.drain(within: drain, successor: successor)
                // It may answer at once, and deferred messages take their time.
                await connection.idle(within: max(.zero, drain - (ContinuousClock.now - began)))
            }
            _ = try? await connection.call(within: timings.shutdown) { .shutdown($0) }
        }
        self.connection?.endWriting()
        if self.connection == nil { self.endNow() }
        if await self.wait(for: .ended, within: timings.shutdown) { return }
        let process = self.state.withLock { $0.process }
        process?.terminate()
        if await self.wait(for: .ended, within: process == nil ? .zero : timings.terminate) { return }
        self.endNow()
        _ = await self.wait(for: .ended, within: .seconds(60))
    }

    // MARK: Conversation

    /// Initializes the plugin, waits for ``admit()``, starts it, and looks after it until the task is cancelled.
    func converse(_ connection: PluginConnection) async {
        do {
            let result = try await self.initialize(connection)
            self.state.withLock { $0.facts.result = result }
            self.handle(.initialized)
            try await self.wait(for: .admitted)
        } catch {
            return self.giveUp(error)
        }
        await withDiscardingTaskGroup { group in
            // It may have to read its store before it can answer `start`.
            group.addTask { await self.requests.serve(self, on: connection) }
            do {
                try await self.start(connection)
            } catch {
                self.giveUp(error)
                return group.cancelAll()
            }
            group.addTask { await self.watchHealth(connection) }
            group.addTask { await self.tellEvents(connection) }
        }
    }

    private func initialize(_ connection: PluginConnection) async throws -> InitializeResult {
        let settings = self.instance.settings
        let request = InitializeRequest(
            gateway: self.context.gateway,
            plugin: PluginIdentity(id: self.instance.plugin, version: self.instance.manifest.version),
            instance: self.instance.name,
            features: [PluginFeature.deferral, "kv", PluginFeature.operations, PluginFeature.calls],
            limits: PluginLimits(
                filterDeadline: settings.filterDeadline, handleDeadline: settings.handleDeadline,
                maximumDeadline: self.context.timings.maximumDeadline),
            grant: self.instance.grant, config: self.instance.config, stateDirectory: self.stateDirectory)
        let response = try await connection.call(within: settings.startTimeout) { .initialize($0, request) }
        if case .failure(let error) = response.outcome, error.code == .configurationInvalid { throw error }
        let result = try response.initializeResult()
        let speaks = result.version
        guard PluginProtocol.versions.contains(speaks) else {
            let own = PluginProtocol.versions
            throw GatewayError(
                .handlerFailed,
                "it chose version \(speaks) of the plugin protocol, this Castway speaks \(own.lowerBound) to \(own.upperBound)"
            )
        }
        guard result.pluginID == self.instance.plugin else {
            throw GatewayError(
                .handlerFailed, "it says that it is '\(result.pluginID)', not '\(self.instance.plugin)'")
        }
        try await connection.agree(
            credits: min(result.maximumInFlight ?? Int.max, PluginProtocol.defaultMaximumInFlight),
            maximumDeadline: self.context.timings.maximumDeadline)
        return result
    }

    private func start(_ connection: PluginConnection) async throws {
        let snapshot = await self.requests.snapshot(within: self.bounds)
        _ = try await connection.call(within: self.instance.settings.startTimeout) { .start($0, snapshot) }.object()
        self.handle(.started)
    }

    /// Ends it, since `initialize` or `start` failed.
    private func giveUp(_ error: any Error) {
        if let error = error as? PluginRPCError {
            self.state.withLock { $0.facts.problems = error.configurationProblems }
        }
        // When the plugin has ended, how it did says more.
        if (error as? GatewayError)?.code == .unavailable { return self.endNow() }
        self.fail(Self.end(for: error))
    }

    private static func end(for error: any Error) -> PluginEnd {
        switch error {
        case let error as PluginRPCError where error.code == .configurationInvalid: .badConfiguration(error.message)
        case let error as GatewayError: .failed(error.reason)
        case let fault as PluginLineFault: .failed(fault.reason)
        default: .failed("\(error)")
        }
    }

    private func watchHealth(_ connection: PluginConnection) async {
        let timings = self.context.timings
        var misses = 0
        while true {
            do { try await Task.sleep(for: timings.healthInterval) } catch { return }
            do {
                let health = try await connection.call(within: timings.healthTimeout) { .health($0) }.health()
                misses = 0
                self.healthChanged(health)
            } catch let fault as PluginLineFault {
                self.onNotice(self, .health("it does not answer 'health' as it should: \(fault.reason)"))
            } catch {
                misses += 1
                guard misses < timings.healthMisses else { return self.fail(.failed("it does not answer any more")) }
                self.onNotice(self, .health("it does not answer"))
            }
        }
    }

    /// Tells the plugin the gateway's events on the devices within its grant.
    private func tellEvents(_ connection: PluginConnection) async {
        let subscription = self.context.events.subscribe(seesMessages: false) { self.bounds.allows($0) }
        for await event in subscription.events {
            connection.notify(PluginEvent(type: event.name, data: event.declaration.pluginData))
        }
    }
}

/// The plugin's lines other than verdicts; on the wire's event loop.
extension PluginRun: PluginWireObserver {
    func asked(_ call: PluginCall, id: PluginRequestID, cause: MessageOrigin?) {
        guard self.state.withLock({ $0.machine.mayAsk }) else {
            let error = PluginRPCError(.notReady, "before 'start' a plugin asks for nothing")
            return self.connection?.answer(RPCResponse(id, error: error)) ?? ()
        }
        // The operations that the plugin does may be answered before this request has its turn.
        let depths = self.connection?.depths
        let cause = if case .operation = call { depths?.cause(beside: cause) } else { cause }
        guard !self.requests.add(.call(call, id, cause: cause, depth: depths?.deepest ?? 0)) else { return }
        self.connection?.answer(RPCResponse(id, error: PluginRPCError(.busy, "too many requests are waiting")))
    }

    func effect(_ effect: Effect) {
        if !self.requests.add(.effect(effect)) {
            self.logger.warning("An effect was left out: too much is waiting")
        }
    }

    func logged(_ record: PluginLogRecord) {
        self.log.take(record)
    }

    func strayed(_ line: ByteBuffer, reason: String) {
        let text = line.getString(at: line.readerIndex, length: min(line.readableBytes, 256)) ?? ""
        self.log.take(
            PluginLogRecord(
                .notice, "A line on the wire is no message",
                fields: ["line": .string(text), "reason": .string(reason)]))
    }

    func refused(_ what: String) {
        self.log.take(PluginLogRecord(.warning, "Not granted", fields: ["what": .string(what), "code": "not_granted"]))
    }

    func healthChanged(_ health: PluginHealth) {
        switch health.status {
        case .ok: self.onNotice(self, .health(nil))
        case .degraded, .failing:
            let reason = health.message?.cut(to: 256) ?? "it says that it is \(health.status.rawValue)"
            self.onNotice(self, .health(reason))
        }
    }

    func misbehaved(_ reason: String) {
        self.fail(.failed(reason))
    }

    func closed(_ reason: String) {
        self.handle(.disconnected(reason: reason))
    }
}
