import CastWire
package import GatewayCore
import Logging
import NIOCore
import PluginKit
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// Keeps one plugin running, as `gateway.yaml` lists it: starts its process, and starts it again when it falls.
///
/// As a handler it is there from the first moment to the last; while no process runs its claims fail by their policy.
package final class PluginService: Service, CustomStringConvertible {
    /// An input of the service. A latch is opened when its input has been taken up.
    enum Input: Sendable {
        case event(PluginStateMachine.Event)
        case notice(PluginRun, PluginRun.Notice)
        case adopt(PluginRun)
        /// A run that was tried out takes the place of the present one.
        case swap(PluginRun, PluginInstance, Latch)
        /// Another configuration, for the present run or for one that follows it.
        case follow(PluginInstance, restarts: Bool, Latch)
        /// A caller waits until earlier inputs have been taken up.
        case sync(Latch)
        /// The gateway stops, or the plugin is gone from the configuration.
        case finish
    }

    struct State {
        var instance: PluginInstance
        var machine: PluginStateMachine
        var handler: PluginHandler
        var run: PluginRun?
        var readySince: NIODeadline?
        var counts = PluginCounts()
    }

    let context: PluginContext
    let logger: Logger
    let log: PluginLog
    let state: Mutex<State>
    private let startsByItself: Bool
    /// Opens when the first attempt to start has had its outcome.
    private let firstOutcome = Latch()
    /// Opens when the plugin is ready for the first time.
    private let firstReady = Latch()
    private let inputs: AsyncStream<Input>
    let input: AsyncStream<Input>.Continuation

    /// Prepares to keep a plugin running; ``run()`` starts it.
    package convenience init(instance: PluginInstance, context: PluginContext) {
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
                handler: PluginHandler(waitingFor: instance)))
        (self.inputs, self.input) = AsyncStream.makeStream(of: Input.self)
    }

    package var name: String { self.state.withLock { $0.instance.name } }

    package var description: String { "plugin \(self.name)" }

    /// The plugin's entry in `gateway.yaml`.
    package var instance: PluginInstance { self.state.withLock { $0.instance } }

    package var pluginState: PluginState { self.state.withLock { $0.machine.state } }

    package var isReady: Bool { [.ready, .degraded].contains(self.pluginState) }

    /// The handler to register under the plugin's name.
    package var handler: any MessageHandler { self.state.withLock { $0.handler } }

    /// Calls back when the plugin is ready for the first time, or has failed to be: at once when that has been.
    func whenTried(_ callback: @escaping @Sendable () -> Void) { self.firstOutcome.whenOpen(callback) }

    /// Calls back when the plugin is ready for the first time: at once when it has been.
    func whenReady(_ callback: @escaping @Sendable () -> Void) { self.firstReady.whenOpen(callback) }

    /// Keeps the plugin running until graceful shutdown or ``finish()``; returns when nothing of it is left.
    package func run() async {
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

    // MARK: Commands

    /// Runs the plugin anew; it ends what it is doing first.
    package func restart() { self.input.yield(.event(.restart)) }

    /// Runs the plugin, if it does not run.
    package func enable() { self.input.yield(.event(.start)) }

    /// Does not run the plugin any more, until it is enabled or the gateway starts again.
    package func disable() { self.input.yield(.event(.stop(.disabled))) }

    /// Waits until earlier commands have been taken up.
    package func untilSettled() async {
        let latch = Latch()
        if case .terminated = self.input.yield(.sync(latch)) { return }
        await latch.wait()
    }

    /// The lines of the wire from now on, a JSON object each; nil when the plugin does not run.
    package func trace() -> AsyncStream<String>? {
        self.state.withLock { $0.run }?.connection?.trace()
    }

    /// Ends the plugin for good.
    func finish() {
        self.input.yield(.finish)
    }

    private func serve() async {
        await withDiscardingTaskGroup { group in
            var isFinishing = false
            var runs = 0
            /// Tried out, and not in the place of the present run yet.
            var trials: [PluginRun] = []
            for await input in self.inputs {
                switch input {
                case .finish where !isFinishing:
                    isFinishing = true
                    for run in trials { group.addTask { await run.stop() } }
                    self.handle(.stop(.stopped), in: &group, &runs)
                case .finish: break
                case .event(let event):
                    if !isFinishing { self.handle(event, in: &group, &runs) }
                case .adopt(let run):
                    trials.append(run)
                    self.launch(run, in: &group, &runs)
                    if isFinishing { group.addTask { await run.stop() } }
                case .notice(let run, let notice):
                    if case .ended = notice {
                        runs -= 1
                        trials.removeAll { $0 === run }
                    }
                    self.take(notice, of: run, in: &group, &runs)
                case .swap(let run, let instance, let latch):
                    let isAlive = trials.contains { $0 === run }
                    trials.removeAll { $0 === run }
                    if isFinishing {
                        // `finish` has not seen that this one was admitted.
                        group.addTask { await run.stop() }
                    } else if isAlive {
                        self.swap(to: run, instance, in: &group, &runs)
                    } else {
                        self.logger.error("The plugin fell before it took over", metadata: ["code": "plugin_crashed"])
                        self.follow(instance, restarts: true, in: &group, &runs)
                    }
                    latch.open()
                case .sync(let latch): latch.open()
                case .follow(let instance, let restarts, let latch):
                    if !isFinishing { self.follow(instance, restarts: restarts, in: &group, &runs) }
                    latch.open()
                }
                // Inputs from here on are turned away, and earlier ones are answered.
                if isFinishing, runs == 0 { self.input.finish() }
            }
            self.firstOutcome.open()
            group.cancelAll()
        }
        // A reload has taken it out of the table already, unless it came back in the same moment.
        let registry = self.context.registry
        let own = self.state.withLock { $0.handler }
        let isThere = registry.handler(named: own.name).map { ($0 as? PluginHandler) === own } ?? false
        if isThere { registry.unregister(own.name) }
    }

    // MARK: Runs

    func makeRun(_ instance: PluginInstance) -> PluginRun {
        let input = self.input
        return PluginRun(instance: instance, context: self.context, log: self.log, logger: self.logger) {
            input.yield(.notice($0, $1))
        }
    }

    private func launch(_ run: PluginRun, in group: inout DiscardingTaskGroup, _ runs: inout Int) {
        runs += 1
        group.addTask { await run.run() }
    }

    private func take(
        _ notice: PluginRun.Notice, of run: PluginRun, in group: inout DiscardingTaskGroup, _ runs: inout Int
    ) {
        guard self.state.withLock({ $0.run === run }) else {
            if case .ended = notice, let connection = run.connection { self.keepCounts(of: connection, in: &group) }
            return
        }
        switch notice {
        case .ready(let result):
            // It may be told to stop while the answer to its start is on its way.
            guard self.pluginState == .starting else { break }
            self.attach(run, result)
            self.handle(.becameReady(version: result.pluginVersion), in: &group, &runs)
            self.firstOutcome.open()
            self.firstReady.open()
        case .health(let reason): self.handle(.healthChanged(reason), in: &group, &runs)
        case .ended(let end):
            let handler = self.state.withLock { state in
                state.run = nil
                state.readySince = nil
                return state.handler
            }
            handler.detach(run.connection, reason: "the plugin does not run: \(end.description)")
            if let connection = run.connection { self.keepCounts(of: connection, in: &group) }
            let random = Double.random(in: -1...1)
            self.handle(.ended(end, lines: self.log.lastLines, random: random), in: &group, &runs)
            self.firstOutcome.open()
        }
    }

    /// The counts of a wire outlive it.
    private func keepCounts(of connection: PluginConnection, in group: inout DiscardingTaskGroup) {
        group.addTask {
            let counts = await connection.counts()
            self.state.withLock { $0.counts.add(counts) }
        }
    }

    /// Lets messages go to a run that is ready, by the claims that it asked for; circuit breakers begin anew.
    private func attach(_ run: PluginRun, _ result: InitializeResult) {
        let (old, instance) = self.state.withLock { ($0.handler, $0.instance) }
        let claims = instance.handlerClaims(narrowedBy: result.claims) {
            self.logger.warning(
                "The plugin claims what is not granted", metadata: ["claim": "\($0)", "code": "not_granted"])
        }
        guard let connection = run.connection else { return }
        let handler = PluginHandler(name: instance.name, claims: claims, connection: connection)
        old.attach(connection)
        self.state.withLock { $0.readySince = .now() }
        self.register(handler)
    }

    /// Puts a handler in the place of the plugin's last one, and behind all others when there is none that claims anything.
    private func register(_ handler: PluginHandler) {
        let registry = self.context.registry
        let isThere = registry.summaries.contains { $0.name == handler.name }
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

    // MARK: Decisions

    private func handle(
        _ event: PluginStateMachine.Event, in group: inout DiscardingTaskGroup, _ runs: inout Int
    ) {
        for action in self.state.withLock({ $0.machine.handle(event, at: .now()) }) {
            switch action {
            case .launch:
                let run = self.makeRun(self.instance)
                run.admit()
                self.state.withLock { $0.run = run }
                self.launch(run, in: &group, &runs)
                // The other service may connect at any time.
                if run.instance.kind == .socket { self.firstOutcome.open() }
            case .drain:
                let (run, handler) = self.state.withLock { ($0.run, $0.handler) }
                handler.detach(nil, reason: "the plugin is being stopped")
                if let run { group.addTask { await run.stop() } }
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
        if case .disabled = self.pluginState { self.firstOutcome.open() }
    }

    func publish(_ change: PluginChange) {
        switch change {
        case .ready(let version): self.logger.notice("Plugin ready", metadata: ["version": "\(version)"])
        case .degraded(.some(let reason)): self.logger.warning("Plugin degraded", metadata: ["reason": "\(reason)"])
        case .degraded(nil): self.logger.notice("Plugin well again")
        case .crashed(let reason, _): self.logger.error("Plugin crashed", metadata: ["reason": "\(reason)"])
        case .crashlooped(let reason):
            self.logger.error(
                "Plugin keeps crashing, and is tried every five minutes", metadata: ["reason": "\(reason)"])
        case .stopped(let reason): self.logger.notice("Plugin stopped", metadata: ["reason": "\(reason)"])
        case .removed: self.logger.debug("Plugin gone")
        }
        self.context.events.publish(.plugin(name: self.name, change))
    }

    // MARK: Changes

    private func swap(
        to run: PluginRun, _ instance: PluginInstance, in group: inout DiscardingTaskGroup, _ runs: inout Int
    ) {
        let old = self.state.withLock { state in
            defer {
                state.run = run
                state.instance = instance
                state.machine.follow(instance.settings.restart)
            }
            return state.run
        }
        if let result = run.facts.result {
            self.attach(run, result)
            self.handle(.swapped(version: result.pluginVersion), in: &group, &runs)
            self.firstOutcome.open()
            self.firstReady.open()
        }
        // New messages go to the new run from here on; the old one ends those that it has.
        if let old { group.addTask { await old.stop(successor: run.connection) } }
    }

    private func follow(
        _ instance: PluginInstance, restarts: Bool, in group: inout DiscardingTaskGroup, _ runs: inout Int
    ) {
        let (run, wasEnabled) = self.state.withLock { state in
            defer {
                state.instance = instance
                state.machine.follow(instance.settings.restart)
            }
            return (state.run, state.instance.isEnabled)
        }
        if !restarts, let run, let result = run.facts.result, self.isReady {
            group.addTask { await run.follow(instance) }
            self.attach(run, result)
        } else {
            self.register(PluginHandler(waitingFor: instance))
        }
        switch (wasEnabled, instance.isEnabled) {
        case (true, false): self.handle(.stop(.disabled), in: &group, &runs)
        case (false, true): self.handle(.start, in: &group, &runs)
        case (true, true): self.handle(restarts ? .replaced : .reconfigured, in: &group, &runs)
        case (false, false): break
        }
    }
}
