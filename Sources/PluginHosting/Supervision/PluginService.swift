import CastWire
public import GatewayCore
import Logging
import NIOCore
import PluginKit
public import ServiceLifecycle
import Synchronization

/// Keeps one plugin running, as `gateway.yaml` lists it: starts its process, and starts it again when it falls.
///
/// As a handler it is there from the first moment to the last; while no process runs its claims fail by their policy.
public final class PluginService: Service, CustomStringConvertible {
    /// What the service waits for.
    enum Input: Sendable {
        case event(PluginStateMachine.Event)
        case news(PluginLife, LifeNews)
        /// A process to try out.
        case adopt(PluginLife)
        /// A process takes the place of the one that runs.
        case swap(PluginLife, PluginInstance, Settled)
        /// Another configuration, for the process that runs or for one that follows it.
        case follow(PluginInstance, restarts: Bool, Settled)
        /// Somebody wants to know when what came before has been taken up.
        case sync(Settled)
        /// The gateway stops, or the plugin is gone from the configuration.
        case finish
    }

    struct State {
        var instance: PluginInstance
        var machine: PluginStateMachine
        var handler: PluginHandler
        var life: PluginLife?
        var readySince: NIODeadline?
        var counts = PluginCounts()
        /// Called once, when the first attempt has had its outcome.
        var onFirstOutcome: [@Sendable () -> Void] = []
        var hasFirstOutcome = false
        /// Called once, when the plugin is ready for the first time.
        var onFirstReady: [@Sendable () -> Void] = []
        var hasBeenReady = false
    }

    let context: PluginContext
    let logger: Logger
    let log: PluginLog
    let state: Mutex<State>
    private let startsByItself: Bool
    private let inputs: AsyncStream<Input>
    let input: AsyncStream<Input>.Continuation

    /// Prepares to keep a plugin running; ``run()`` starts it.
    public convenience init(instance: PluginInstance, context: PluginContext) {
        self.init(instance: instance, context: context, startsByItself: true)
    }

    /// - Parameter startsByItself: false for one whose first process is tried out.
    init(instance: PluginInstance, context: PluginContext, startsByItself: Bool) {
        self.context = context
        self.startsByItself = startsByItself
        var logger = context.makeLogger("plugin.\(instance.name)")
        logger[metadataKey: "plugin"] = "\(instance.name)"
        self.logger = logger
        self.log = PluginLog(logger: logger)
        self.state = Mutex(
            State(
                instance: instance, machine: PluginStateMachine(policy: instance.settings.restart),
                handler: PluginHandler(name: instance.name, claims: instance.handlerClaims())))
        (self.inputs, self.input) = AsyncStream.makeStream(of: Input.self)
    }

    /// The plugin's name.
    public var name: String { self.state.withLock { $0.instance.name } }

    /// What the service is called in logs.
    public var description: String { "plugin \(self.name)" }

    /// What `gateway.yaml` says of it.
    public var instance: PluginInstance { self.state.withLock { $0.instance } }

    /// How far it is.
    public var pluginState: PluginState { self.state.withLock { $0.machine.state } }

    /// Whether it answers messages.
    public var isReady: Bool { [.ready, .degraded].contains(self.pluginState) }

    /// The handler to register under the plugin's name.
    public var handler: any MessageHandler { self.state.withLock { $0.handler } }

    /// Calls back when the plugin is ready for the first time, or has failed to be: at once when that has been.
    func whenTried(_ callback: @escaping @Sendable () -> Void) {
        let isOver = self.state.withLock { state in
            if !state.hasFirstOutcome { state.onFirstOutcome.append(callback) }
            return state.hasFirstOutcome
        }
        if isOver { callback() }
    }

    /// Calls back when the plugin is ready for the first time: at once when it has been.
    func whenReady(_ callback: @escaping @Sendable () -> Void) {
        let isOver = self.state.withLock { state in
            if !state.hasBeenReady { state.onFirstReady.append(callback) }
            return state.hasBeenReady
        }
        if isOver { callback() }
    }

    /// Keeps the plugin running until graceful shutdown or ``finish()``; returns when nothing of it is left.
    public func run() async {
        if self.instance.isEnabled {
            if self.startsByItself { self.input.yield(.event(.start)) }
        } else {
            self.input.yield(.event(.stop(.disabled)))
        }
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await self.serve()
            } onCancel: {
                self.finish()
            }
        } onGracefulShutdown: {
            self.finish()
        }
    }

    /// Ends the plugin for good.
    func finish() {
        self.input.yield(.finish)
    }

    private func serve() async {
        await withDiscardingTaskGroup { group in
            var isFinishing = false
            var lives = 0
            /// Tried out, and not in anybody's place yet.
            var trials: [PluginLife] = []
            for await input in self.inputs {
                switch input {
                case .finish where !isFinishing:
                    isFinishing = true
                    for life in trials { group.addTask { await life.stop() } }
                    self.handle(.stop(.stopped), in: &group, &lives)
                case .finish: break
                case .event(let event):
                    if !isFinishing { self.handle(event, in: &group, &lives) }
                case .adopt(let life):
                    trials.append(life)
                    self.launch(life, in: &group, &lives)
                    if isFinishing { group.addTask { await life.stop() } }
                case .news(let life, let news):
                    if case .ended = news {
                        lives -= 1
                        trials.removeAll { $0 === life }
                    }
                    self.take(news, of: life, in: &group, &lives)
                case .swap(let life, let instance, let settled):
                    let isAlive = trials.contains { $0 === life }
                    trials.removeAll { $0 === life }
                    if isFinishing {
                        // Whoever finishes has not seen that this one was let work.
                        group.addTask { await life.stop() }
                    } else if isAlive {
                        self.swap(to: life, instance, in: &group, &lives)
                    } else {
                        self.logger.error("The plugin fell before it took over", metadata: ["code": "plugin_crashed"])
                        self.follow(instance, restarts: true, in: &group, &lives)
                    }
                    settled.settle()
                case .sync(let settled): settled.settle()
                case .follow(let instance, let restarts, let settled):
                    if !isFinishing { self.follow(instance, restarts: restarts, in: &group, &lives) }
                    settled.settle()
                }
                // What is asked for from here on is turned away, and what has been is answered.
                if isFinishing, lives == 0 { self.input.finish() }
            }
            self.triedOnce()
            group.cancelAll()
        }
        // A reload has taken it out of the table already, unless it came back in the same moment.
        let registry = self.context.registry
        let own = self.state.withLock { $0.handler }
        let isThere = registry.table.entries.contains { ($0.handler as? PluginHandler) === own }
        if isThere { registry.unregister(own.name) }
    }

    // MARK: Lives

    /// A life that begins when it is run.
    func makeLife(_ instance: PluginInstance) -> PluginLife {
        let input = self.input
        return PluginLife(instance: instance, context: self.context, log: self.log, logger: self.logger) {
            input.yield(.news($0, $1))
        }
    }

    private func launch(_ life: PluginLife, in group: inout DiscardingTaskGroup, _ lives: inout Int) {
        lives += 1
        group.addTask { await life.run() }
    }

    private func take(
        _ news: LifeNews, of life: PluginLife, in group: inout DiscardingTaskGroup, _ lives: inout Int
    ) {
        guard self.state.withLock({ $0.life === life }) else {
            if case .ended = news, let connection = life.connection { self.keepCounts(of: connection, in: &group) }
            return
        }
        switch news {
        case .ready(let result):
            // It may be told to stop while the answer to its start is on its way.
            guard self.pluginState == .starting else { break }
            self.attach(life, result)
            self.handle(.becameReady(version: result.pluginVersion), in: &group, &lives)
            self.triedOnce()
            self.readyOnce()
        case .felt(let reason): self.handle(.felt(reason), in: &group, &lives)
        case .ended(let end):
            let handler = self.state.withLock { state in
                state.life = nil
                state.readySince = nil
                return state.handler
            }
            handler.detach(life.connection, reason: "the plugin does not run: \(end.description)")
            if let connection = life.connection { self.keepCounts(of: connection, in: &group) }
            let random = Double.random(in: -1...1)
            self.handle(.ended(end, lines: self.log.lastLines, random: random), in: &group, &lives)
            self.triedOnce()
        }
    }

    /// What a wire has counted outlives it.
    private func keepCounts(of connection: PluginConnection, in group: inout DiscardingTaskGroup) {
        group.addTask {
            let counts = await connection.counts()
            self.state.withLock { $0.counts.add(counts) }
        }
    }

    /// Lets messages go to a life that is ready, by the claims that it asked for; breakers begin anew.
    private func attach(_ life: PluginLife, _ result: InitializeResult) {
        let (old, instance) = self.state.withLock { ($0.handler, $0.instance) }
        let claims = instance.handlerClaims(narrowedBy: result.claims) {
            self.logger.warning(
                "The plugin claims what is not granted", metadata: ["claim": "\($0)", "code": "not_granted"])
        }
        guard let connection = life.connection else { return }
        let handler = PluginHandler(name: instance.name, claims: claims, connection: connection)
        old.attach(connection)
        self.state.withLock { $0.readySince = .now() }
        self.register(handler)
    }

    /// Puts a handler in the place of the plugin's last one, and behind all others when there is none that claims anything.
    private func register(_ handler: PluginHandler) {
        let registry = self.context.registry
        let isThere = registry.table.entries.contains { $0.handler.name == handler.name }
        self.state.withLock { $0.handler = handler }
        do {
            switch (isThere, handler.claims.isEmpty) {
            case (true, false): try registry.renew(handler)
            case (true, true): registry.unregister(handler.name)
            case (false, false): try registry.register(handler)
            case (false, true): break
            }
        } catch {
            self.logger.error("The plugin cannot be a handler", metadata: ["reason": "\(error)"])
        }
    }

    private func triedOnce() {
        let callbacks = self.state.withLock { state in
            state.hasFirstOutcome = true
            defer { state.onFirstOutcome = [] }
            return state.onFirstOutcome
        }
        for callback in callbacks { callback() }
    }

    private func readyOnce() {
        let callbacks = self.state.withLock { state in
            state.hasBeenReady = true
            defer { state.onFirstReady = [] }
            return state.onFirstReady
        }
        for callback in callbacks { callback() }
    }

    // MARK: Decisions

    private func handle(
        _ event: PluginStateMachine.Event, in group: inout DiscardingTaskGroup, _ lives: inout Int
    ) {
        for action in self.state.withLock({ $0.machine.handle(event, at: .now()) }) {
            switch action {
            case .launch:
                let life = self.makeLife(self.instance)
                life.begin()
                self.state.withLock { $0.life = life }
                self.launch(life, in: &group, &lives)
                // Nobody knows when somebody connects.
                if life.instance.kind == .socket { self.triedOnce() }
            case .drain:
                let (life, handler) = self.state.withLock { ($0.life, $0.handler) }
                handler.detach(nil, reason: "the plugin is being stopped")
                if let life { group.addTask { await life.stop() } }
            case .pause(let time, let number):
                self.logger.info("The plugin is started again", metadata: ["in": "\(time)"])
                let input = self.input
                group.addTask {
                    do { try await Task.sleep(for: time) } catch { return }
                    input.yield(.event(.pauseEnded(number)))
                }
            case .publish(let change): self.publish(change)
            }
        }
        if case .disabled = self.pluginState { self.triedOnce() }
    }

    private func publish(_ change: PluginChange) {
        switch change {
        case .ready(let version): self.logger.notice("Plugin ready", metadata: ["version": "\(version)"])
        case .degraded(.some(let reason)): self.logger.warning("Plugin degraded", metadata: ["reason": "\(reason)"])
        case .degraded(nil): self.logger.notice("Plugin well again")
        case .crashed(let reason, _): self.logger.error("Plugin crashed", metadata: ["reason": "\(reason)"])
        case .crashlooped(let reason):
            self.logger.error(
                "Plugin keeps crashing, and is tried every five minutes", metadata: ["reason": "\(reason)"])
        case .stopped(let reason): self.logger.notice("Plugin stopped", metadata: ["reason": "\(reason)"])
        }
        self.context.events.publish(.plugin(name: self.name, change))
    }

    // MARK: Changes

    private func swap(
        to life: PluginLife, _ instance: PluginInstance, in group: inout DiscardingTaskGroup, _ lives: inout Int
    ) {
        let old = self.state.withLock { state in
            defer {
                state.life = life
                state.instance = instance
                state.machine.follow(instance.settings.restart)
            }
            return state.life
        }
        if let result = life.result {
            self.attach(life, result)
            self.handle(.swapped(version: result.pluginVersion), in: &group, &lives)
            self.triedOnce()
            self.readyOnce()
        }
        // From here on everything new goes to the new one; what the old one has it ends.
        if let old { group.addTask { await old.stop(successor: life.connection) } }
    }

    private func follow(
        _ instance: PluginInstance, restarts: Bool, in group: inout DiscardingTaskGroup, _ lives: inout Int
    ) {
        let (life, wasEnabled) = self.state.withLock { state in
            defer {
                state.instance = instance
                state.machine.follow(instance.settings.restart)
            }
            return (state.life, state.instance.isEnabled)
        }
        if !restarts, let life, let result = life.result, self.isReady {
            group.addTask { await life.follow(instance) }
            self.attach(life, result)
        } else {
            self.register(PluginHandler(name: instance.name, claims: instance.handlerClaims()))
        }
        switch (wasEnabled, instance.isEnabled) {
        case (true, false): self.handle(.stop(.disabled), in: &group, &lives)
        case (false, true): self.handle(.start, in: &group, &lives)
        case (true, true): self.handle(restarts ? .replaced : .reconfigured, in: &group, &lives)
        case (false, false): break
        }
    }
}
