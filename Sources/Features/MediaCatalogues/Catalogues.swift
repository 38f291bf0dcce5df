package import GatewayConfig
package import GatewayCore
package import HTTPFetching
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// The catalogues of the gateway: lists of videos, read at their times and whenever a caller asks.
package final class Catalogues: Service, CustomStringConvertible {
    private struct State {
        var book = CatalogueStateMachine()
        var timers: [String: Scheduled<Void>] = [:]
        /// Completed when the list of the name has been read, or will not be.
        var waiters: [String: [EventLoopPromise<Void>]] = [:]
        var hasEnded = false
    }

    /// The number of callers that may wait for one catalogue.
    private static let mostWaiters = 64

    private let source: CatalogueSource
    private let events: EventBus
    private let logger: Logger
    private let loop: any EventLoop
    private let seconds: @Sendable () -> Int64
    private let state = Mutex(State())
    private let jobs: AsyncStream<CatalogueStateMachine.Job>
    private let continuation: AsyncStream<CatalogueStateMachine.Job>.Continuation

    /// Makes catalogues; nothing is read before ``run()``.
    /// - Parameters:
    ///   - version: of the gateway, for `user-agent`.
    ///   - group: runs connections and timers.
    ///   - seconds: since 1970.
    package init(
        version: String, events: EventBus, group: any EventLoopGroup, logger: Logger,
        seconds: @escaping @Sendable () -> Int64, resolver: HostResolver, fileSystem: ConfigFileSystem = .disk
    ) {
        self.source = CatalogueSource(version: version, group: group, resolver: resolver, fileSystem: fileSystem)
        self.events = events
        self.logger = logger
        self.loop = group.next()
        self.seconds = seconds
        // No more than one for each catalogue of each configuration, since none is read twice at once.
        (self.jobs, self.continuation) = AsyncStream.makeStream(of: CatalogueStateMachine.Job.self)
    }

    /// Makes catalogues whose hosts the system looks up, in files of this machine.
    package convenience init(
        version: String, events: EventBus, group: any EventLoopGroup, logger: Logger,
        seconds: @escaping @Sendable () -> Int64
    ) {
        self.init(
            version: version, events: events, group: group, logger: logger, seconds: seconds, resolver: .system)
    }

    package var description: String { "catalogues" }

    /// Follows a configuration: what is new or has changed is read, what is gone is forgotten.
    package func configure(_ configurations: [CatalogueConfiguration]) {
        self.change { $0.book.follow(configurations) }
        let known = Set(configurations.map(\.name))
        let gone = self.state.withLock { state in
            let gone = state.waiters.filter { !known.contains($0.key) }.values.flatMap { $0 }
            state.waiters = state.waiters.filter { known.contains($0.key) }
            return gone
        }
        for waiter in gone { waiter.succeed() }
    }

    /// The status of all, in the order of the configuration.
    package var standings: [CatalogueStatus] { self.state.withLock { $0.book.standings } }

    /// The status of one; nil when there is none of the name.
    package func standing(_ name: String) -> CatalogueStatus? { self.state.withLock { $0.book.standing(name) } }

    /// Has one read now, or waits for what is being read.
    /// - Returns: how it stands then; nil when there is none of the name.
    package func refresh(_ name: String) async -> CatalogueStatus? {
        guard let timeout = self.state.withLock({ $0.book.timeout(name) }) else { return nil }
        // Longer than reading takes, for when the service does not run.
        let promise = self.loop.makePromise(of: Void.self, within: TimeAmount(timeout) + .seconds(5)) { $0.succeed() }
        let waits = self.state.withLock { state in
            guard !state.hasEnded, state.waiters[name, default: []].count < Self.mostWaiters else { return false }
            state.waiters[name, default: []].append(promise)
            return true
        }
        if waits { self.change { $0.book.refresh(name) } } else { promise.succeed() }
        try? await promise.futureResult.get()
        return self.standing(name)
    }

    /// Reads what is due until the service is stopped.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await job in self.jobs {
                    group.addTask { await self.read(job) }
                }
                group.cancelAll()
            }
        }
        self.end()
    }

    private func read(_ job: CatalogueStateMachine.Job) async {
        let outcome = await self.source.read(job)
        guard !Task.isCancelled else { return }
        self.log(outcome, of: job.configuration.name)
        self.change { $0.book.ended(job, outcome, now: self.seconds()) }
        let waiters = self.state.withLock { state -> [EventLoopPromise<Void>] in
            // The configuration has changed meanwhile: what callers wait for is still being read.
            guard !state.book.isReading(job.configuration.name) else { return [] }
            return state.waiters.removeValue(forKey: job.configuration.name) ?? []
        }
        for waiter in waiters { waiter.succeed() }
    }

    private func log(_ outcome: CatalogueStateMachine.Outcome, of name: String) {
        switch outcome {
        case .list(let list, _):
            self.logger.debug(
                "Catalogue read",
                metadata: [
                    "catalogue": "\(name)", "items": "\(list.items.count)", "skipped": "\(list.skipped)",
                ])
        case .unchanged: self.logger.debug("Catalogue has not changed", metadata: ["catalogue": "\(name)"])
        case .failed(let fault):
            self.logger.warning(
                "Catalogue cannot be read", metadata: ["catalogue": "\(name)", "reason": "\(fault.reason)"])
        }
    }

    private func end() {
        self.continuation.finish()
        let (waiters, timers) = self.state.withLock { state in
            state.hasEnded = true
            defer { (state.waiters, state.timers) = ([:], [:]) }
            return (state.waiters.values.flatMap { $0 }, Array(state.timers.values))
        }
        for timer in timers { timer.cancel() }
        for waiter in waiters { waiter.succeed() }
    }

    // MARK: Actions

    /// Changes the book, and carries out what comes of it.
    private func change(_ body: (inout State) -> [CatalogueStateMachine.Action]) {
        let actions = self.state.withLock { state in
            let actions = body(&state)
            for action in actions { self.keepTime(action, &state) }
            return actions
        }
        for action in actions {
            switch action {
            case .read(let job): self.continuation.yield(job)
            case .publish(let event): self.events.publish(event)
            case .wait, .forget: break
            }
        }
    }

    private func keepTime(_ action: CatalogueStateMachine.Action, _ state: inout State) {
        switch action {
        case .wait(let name, let generation, let pause):
            state.timers[name]?.cancel()
            guard !state.hasEnded else { return }
            state.timers[name] = self.loop.scheduleTask(in: TimeAmount(pause)) {
                self.change { $0.book.due(name, generation: generation) }
            }
        case .forget(let name): state.timers.removeValue(forKey: name)?.cancel()
        case .read, .publish: break
        }
    }
}
