import CastWire
import GatewayCore
import Logging
import NIOCore
import PluginKit
import Synchronization

/// One life of a plugin: from the start of its process to the moment when nothing of it is left.
///
/// It says its first words at once, and ``begin()`` lets it work; in between it is as if it were not there, so that a
/// reload can try it out.
final class PluginLife: Sendable {
    struct State {
        var instance: PluginInstance
        var bounds: PluginBounds
        var process: PluginProcess?
        var listener: (any Channel)?
        var isEnding = false
        var connection: PluginConnection?
        /// Why the gateway itself ended it.
        var failure: PluginEnd?
        /// What the launcher said of the end.
        var end: PluginEnd?
        var processID: Int32?
        var unenforced: [String] = []
        var result: InitializeResult?
        var hasBegun = false
        /// Whether it may ask for anything: it was let work.
        var mayAsk = false
        /// What of its configuration it cannot make sense of.
        var problems: [ConfigurationProblem] = []
    }

    /// How many requests of a plugin may wait; more are refused.
    private static let askLimit = 256

    let context: PluginContext
    let eventLoop: any EventLoop
    let logger: Logger
    let log: PluginLog
    let state: Mutex<State>
    let asks: AsyncStream<PluginAsk>
    private let askInput: AsyncStream<PluginAsk>.Continuation
    private let news: @Sendable (PluginLife, LifeNews) -> Void
    private let initialised: EventLoopPromise<Void>
    let gate: EventLoopPromise<Void>
    private let ready: EventLoopPromise<Void>
    /// Succeeds when the wire is cut.
    let cut: EventLoopPromise<Void>
    private let ended: EventLoopPromise<Void>

    /// Prepares a life.
    /// - Parameter news: called from any thread.
    init(
        instance: PluginInstance, context: PluginContext, log: PluginLog, logger: Logger,
        news: @escaping @Sendable (PluginLife, LifeNews) -> Void
    ) {
        self.state = Mutex(State(instance: instance, bounds: PluginBounds(instance.grant)))
        self.context = context
        self.log = log
        self.logger = logger
        self.news = news
        self.eventLoop = context.eventLoops.next()
        self.initialised = self.eventLoop.makePromise()
        self.gate = self.eventLoop.makePromise()
        self.ready = self.eventLoop.makePromise()
        self.ended = self.eventLoop.makePromise()
        self.cut = self.eventLoop.makePromise()
        (self.asks, self.askInput) = AsyncStream.makeStream(
            of: PluginAsk.self, bufferingPolicy: .bufferingOldest(Self.askLimit))
    }

    /// What `gateway.yaml` says of it, as it was told last.
    var instance: PluginInstance { self.state.withLock { $0.instance } }

    /// What its grant allows.
    var bounds: PluginBounds { self.state.withLock { $0.bounds } }

    /// Takes another configuration that the plugin has taken, or need not be told.
    func follow(_ instance: PluginInstance) async {
        let bounds = PluginBounds(instance.grant)
        self.state.withLock { state in
            state.instance = instance
            state.bounds = bounds
        }
        try? await self.connection?.follow(bounds)
    }

    /// The wire, once there is one.
    var connection: PluginConnection? { self.state.withLock { $0.connection } }

    /// What the plugin said of itself, once it has.
    var result: InitializeResult? { self.state.withLock { $0.result } }

    /// Lets it work when it has said its first words.
    func begin() {
        self.gate.succeed()
    }

    /// Waits until it has said its first words.
    /// - Throws: why it has not.
    func untilInitialised() async throws {
        try await self.initialised.futureResult.get()
    }

    /// Lives, until nothing is left.
    func run() async {
        let end: PluginEnd
        switch self.instance.kind {
        case .process: end = await self.liveAsProcess()
        case .socket: end = await self.liveAtSocket()
        case .module: end = await self.liveAsModule()
        }
        self.askInput.finish()
        self.connection?.close()
        self.initialised.fail(GatewayError(.unavailable, end.description))
        self.gate.fail(GatewayError(.unavailable, end.description))
        self.ready.fail(GatewayError(.unavailable, end.description))
        self.cut.succeed()
        self.ended.succeed()
        self.news(self, .ended(end))
    }

    /// Waits for the end.
    /// - Returns: false when it does not come in time.
    func hasEnded(within time: Duration) async -> Bool { await self.isOver(self.ended.futureResult, within: time) }

    /// Waits until it answers messages.
    /// - Returns: false when it does not in time, or has ended.
    func isReady(within time: Duration) async -> Bool {
        await self.isOver(self.ready.futureResult, within: time) && !self.connectionIsCut
    }

    private var connectionIsCut: Bool { self.state.withLock { $0.failure != nil || $0.end != nil } }

    private func isOver(_ future: EventLoopFuture<Void>, within time: Duration) async -> Bool {
        let promise = self.eventLoop.makePromise(of: Bool.self)
        let timeout = self.eventLoop.scheduleTask(in: TimeAmount(time)) { promise.succeed(false) }
        future.whenComplete { _ in promise.succeed(true) }
        defer { timeout.cancel() }
        return (try? await promise.futureResult.get()) ?? false
    }

    /// Lets it end what it is doing, and ends it; each step has its time, and the last one does not ask.
    /// - Parameter successor: who gets the messages that are on their way to it still.
    func stop(successor: PluginConnection? = nil) async {
        let timings = self.context.timings
        if let connection, self.state.withLock({ $0.hasBegun }) {
            let drain = self.instance.settings.drain
            if drain > .zero {
                let began = ContinuousClock.now
                _ = try? await connection.drain(within: drain, successor: successor)
                // It may answer at once, and what it deferred takes its time.
                await connection.idle(within: max(.zero, drain - (ContinuousClock.now - began)))
            }
            _ = try? await connection.call(within: timings.shutdown) { .shutdown($0) }
        }
        self.connection?.endWriting()
        if self.connection == nil { self.endNow() }
        if await self.hasEnded(within: timings.shutdown) { return }
        self.state.withLock { $0.process }?.terminate()
        if await self.hasEnded(within: self.state.withLock { $0.process } == nil ? .zero : timings.terminate) { return }
        self.endNow()
        _ = await self.hasEnded(within: .seconds(60))
    }

    /// Ends it for a reason of the gateway's.
    func fail(_ end: PluginEnd) {
        self.state.withLock { if $0.failure == nil { $0.failure = end } }
        self.endNow()
    }

    func endNow() {
        let (process, connection, listener) = self.state.withLock { state in
            state.isEnding = true
            return (state.process, state.connection, state.listener)
        }
        process?.kill()
        listener?.close(promise: nil)
        if process == nil { connection?.close() }
    }

    // MARK: What is said

    /// Says the first words, waits for ``begin()``, and looks after the plugin until it ends.
    func converse(_ connection: PluginConnection) async {
        do {
            let result = try await self.initialise(connection)
            self.state.withLock { $0.result = result }
            self.initialised.succeed()
            try await self.gate.futureResult.get()
        } catch {
            return self.giveUp(error)
        }
        self.state.withLock { $0.mayAsk = true }
        await withDiscardingTaskGroup { group in
            // It may have to read what it kept before it can say that it has started.
            group.addTask { await self.answerAsks(connection) }
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

    private func start(_ connection: PluginConnection) async throws {
        let snapshot = await self.snapshot()
        _ = try await connection.call(within: self.instance.settings.startTimeout) { .start($0, snapshot) }.object()
        self.state.withLock { $0.hasBegun = true }
        self.ready.succeed()
        if let result { self.news(self, .ready(result)) }
    }

    /// Ends it, since its first words were none.
    private func giveUp(_ error: any Error) {
        if let error = error as? PluginRPCError {
            self.state.withLock { $0.problems = error.configurationProblems }
        }
        // When the plugin has ended, how it did says more.
        if (error as? GatewayError)?.code == .unavailable { return self.endNow() }
        self.fail(Self.end(for: error))
    }

    private func initialise(_ connection: PluginConnection) async throws -> InitializeResult {
        let settings = self.instance.settings
        let request = InitializeRequest(
            gateway: self.context.gateway,
            plugin: PluginIdentity(id: self.instance.plugin, version: self.instance.manifest.version),
            instance: self.instance.name, features: ["defer", "kv"],
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

    /// Where the plugin may write; nil when it has no such place.
    var stateDirectory: String { "\(self.context.stateDirectory)/plugins/\(self.instance.name)" }

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
                self.feel(health)
            } catch let fault as PluginLineFault {
                self.news(self, .felt("it does not answer 'health' as it should: \(fault.reason)"))
            } catch {
                misses += 1
                guard misses < timings.healthMisses else { return self.fail(.failed("it does not answer any more")) }
                self.news(self, .felt("it does not answer"))
            }
        }
    }

    func feel(_ health: PluginHealth) {
        switch health.status {
        case .ok: self.news(self, .felt(nil))
        case .degraded, .failing:
            self.news(self, .felt(health.message?.cut(to: 256) ?? "it says that it is \(health.status.rawValue)"))
        }
    }

    /// Adds what the plugin wants done behind what it wanted before.
    /// - Returns: false when too much waits.
    func add(_ ask: PluginAsk) -> Bool {
        if case .enqueued = self.askInput.yield(ask) { true } else { false }
    }
}
