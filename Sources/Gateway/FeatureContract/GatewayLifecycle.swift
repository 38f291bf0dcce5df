package import ServiceLifecycle
import Synchronization

/// How far the gateway is: the stages of its start, and whether senders can use it.
///
/// The features say when a stage is reached; services wait for theirs.
package final class GatewayLifecycle: Sendable {
    /// A moment of the start for which services wait.
    package enum Stage: Sendable, Hashable {
        /// Services are started.
        case begun
        /// The admin listener answers, or will not: the gateway knows that it is the only one. Before, nothing is dialled,
        /// listened on or changed that may be another gateway's.
        case alone
        /// Every plugin is ready or has failed to be once: what senders send reaches the plugins.
        case pluginsTried
        /// Every virtual device listens, since a real device that is dialled may be one of them.
        case devicesListening
    }

    /// What the admin listener says of the gateway; `ready` while senders can use it.
    package enum Phase: String, Sendable, CaseIterable {
        case starting, ready, stopping
    }

    private struct State {
        var phase = Phase.starting
        var reached: Set<Stage> = [.begun]
        var keepers: [Stage: [AsyncStream<Never>.Continuation]] = [:]
        var callbacks: [Stage: [@Sendable () -> Void]] = [:]
    }

    private let state = Mutex(State())

    /// How far the gateway is.
    package var phase: Phase { self.state.withLock { $0.phase } }

    /// Whether a stage has been reached.
    package func hasReached(_ stage: Stage) -> Bool { self.state.withLock { $0.reached.contains(stage) } }

    /// Lets the services of a stage begin, and then makes the callbacks; later calls do nothing.
    package func reach(_ stage: Stage) {
        let (keepers, callbacks) = self.state.withLock { state in
            guard state.reached.insert(stage).inserted else {
                return ([AsyncStream<Never>.Continuation](), [@Sendable () -> Void]())
            }
            if stage == .devicesListening, state.phase == .starting { state.phase = .ready }
            return (
                state.keepers.removeValue(forKey: stage) ?? [], state.callbacks.removeValue(forKey: stage) ?? []
            )
        }
        for keeper in keepers { keeper.finish() }
        for callback in callbacks { callback() }
    }

    /// Says what is to be called once, when a stage that is still to come is reached.
    package func whenReached(_ stage: Stage, _ callback: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.callbacks[stage, default: []].append(callback) }
    }

    /// The gateway begins to end.
    package func stop() {
        self.state.withLock { $0.phase = .stopping }
    }

    /// The gateway has ended; stages that were not reached are not waited for any more.
    package func end() {
        let callbacks = self.state.withLock { state in
            defer { state.callbacks = [:] }
            return state.callbacks
        }
        // What they hold goes after the lock.
        _ = callbacks
    }

    /// A service that begins in its stage.
    ///
    /// When the gateway stops before it is alone, the service does not begin at all. When it stops between that and the service's
    /// own stage, the service begins and learns at once that it has to end, so that it can answer what already waits for it.
    package func held(_ staged: StagedService) -> any Service {
        guard staged.stage != .begun else { return staged.service }
        return HeldService(
            alone: self.gate(.alone), gate: self.gate(staged.stage), service: staged.service, lifecycle: self)
    }

    /// The last service of the gateway, so the first to learn that it stops.
    package var watch: any Service { ShutdownWatch(lifecycle: self) }

    /// Ends when the stage is reached.
    private func gate(_ stage: Stage) -> AsyncStream<Never> {
        let (gate, keeper) = AsyncStream.makeStream(of: Never.self)
        let isReached = self.state.withLock { state in
            if state.reached.contains(stage) { return true }
            state.keepers[stage, default: []].append(keeper)
            return false
        }
        if isReached { keeper.finish() }
        return gate
    }
}

private struct HeldService: Service, CustomStringConvertible {
    let alone: AsyncStream<Never>
    let gate: AsyncStream<Never>
    let service: any Service & CustomStringConvertible
    let lifecycle: GatewayLifecycle

    var description: String { self.service.description }

    func run() async throws {
        for await _ in self.alone.cancelOnGracefulShutdown() {}
        guard self.lifecycle.hasReached(.alone) else { return }
        for await _ in self.gate.cancelOnGracefulShutdown() {}
        try await self.service.run()
    }
}

private struct ShutdownWatch: Service, CustomStringConvertible {
    let lifecycle: GatewayLifecycle

    var description: String { "shutdown" }

    func run() async throws {
        try? await gracefulShutdown()
        self.lifecycle.stop()
    }
}
