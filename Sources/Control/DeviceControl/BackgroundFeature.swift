package import DeviceSessions
package import FeatureContract
import GatewayCore
import GatewaySettings
import Logging
import NIOCore
import ServiceLifecycle

/// Puts the gateway in the background when nothing uses it for long enough: `sessions.suspend_when_unused` and
/// `discovery.stop_when_unused`. The first call or reader of events brings it back.
///
/// One task does one thing after the other, so that nothing is suspended while it is resumed.
package final class BackgroundFeature: GatewayFeature, Service, CustomStringConvertible {
    private enum Order: Sendable {
        /// Time has passed.
        case tick
        /// Something uses the gateway; the promise is completed when it is back.
        case use(EventLoopPromise<Void>?)
    }

    /// What is to be undone when the gateway is used again.
    private struct Done {
        /// The sessions that were suspended; nil for all that are, since an earlier run may have left some so.
        var suspended: Set<Int>?
        /// Whether the search was stopped here, and not by an operator.
        var hasStopped = false
    }

    /// How often it is asked whether anything uses the gateway.
    private static let interval = TimeAmount.seconds(1)
    /// How long one session may take to come back; its device may be away.
    private static let resumePatience = Duration.seconds(4)
    /// More orders than ever wait; users beyond it are not waited for.
    private static let maximumOrders = 1024

    package let name = "background"
    private let context: GatewayContext
    private let directory: DeviceSessionDirectory
    private let discovery: DiscoveryFeature
    private let orders: AsyncStream<Order>
    private let continuation: AsyncStream<Order>.Continuation

    package init(_ context: GatewayContext, directory: DeviceSessionDirectory, discovery: DiscoveryFeature) {
        self.context = context
        self.directory = directory
        self.discovery = discovery
        (self.orders, self.continuation) = AsyncStream.makeStream(
            of: Order.self, bufferingPolicy: .bufferingOldest(Self.maximumOrders))
    }

    package var description: String { self.name }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.devicesListening, self)]
    }

    package func run() async throws {
        let continuation = self.continuation
        self.context.presence.attach { promise in
            guard case .enqueued = continuation.yield(.use(promise)) else {
                promise?.succeed()
                return
            }
        }
        let ticking = self.context.eventLoops.any().scheduleRepeatedTask(
            initialDelay: Self.interval, delay: Self.interval
        ) { _ in continuation.yield(.tick) }
        await withGracefulShutdownHandler {
            await self.carryOut()
        } onGracefulShutdown: {
            continuation.finish()
        }
        ticking.cancel()
    }

    private func carryOut() async {
        // What an earlier run has suspended so is resumed as if this one had.
        let mayHaveLeft = self.times.suspend != nil
        var machine = BackgroundStateMachine(mayHaveLeft: mayHaveLeft)
        var done = Done(suspended: mayHaveLeft ? nil : [])
        self.context.presence.set(isAway: machine.isAway)
        for await order in self.orders {
            var actions: [BackgroundStateMachine.Action]
            switch order {
            case .tick:
                let unused = self.context.presence.unusedSince.map { NIODeadline.now() - $0 }
                actions = machine.passed(unused: unused, self.times)
            case .use: actions = machine.used()
            }
            // Before anything is suspended: users that come from now on stand behind it.
            if machine.isAway {
                self.context.presence.set(isAway: true)
                // One that came while this was decided does not wait, so nothing is taken from it.
                if case .tick = order, !actions.isEmpty, self.context.presence.unusedSince == nil {
                    actions = machine.used()
                }
            }
            for action in actions { await self.perform(action, &done) }
            if !machine.isAway { self.context.presence.set(isAway: false) }
            if case .use(let promise) = order { promise?.succeed() }
        }
    }

    private var times: BackgroundStateMachine.Times {
        let configuration = self.context.configuration.current
        return BackgroundStateMachine.Times(
            suspend: configuration.sessions.suspendWhenUnused.map { TimeAmount($0) },
            stopDiscovery: configuration.discovery.stopWhenUnused.map { TimeAmount($0) })
    }

    private func perform(_ action: BackgroundStateMachine.Action, _ done: inout Done) async {
        switch action {
        case .suspendSessions:
            let numbers = await self.suspendSessions()
            done.suspended = done.suspended.map { _ in numbers }
        case .resumeSessions:
            await self.resumeSessions(done.suspended)
            done.suspended = []
        case .stopDiscovery:
            guard self.discovery.discovery.state != .stopped else { return }
            done.hasStopped = true
            self.context.makeLogger("Discovery").info("Nothing uses the gateway, so devices are not searched for")
            try? await self.discovery.discovery.stop()
        case .startDiscovery:
            guard done.hasStopped else { return }
            done.hasStopped = false
            guard self.context.configuration.current.discovery.multicast.isEnabled else { return }
            try? await self.discovery.start()
        }
    }

    private func suspendSessions() async -> Set<Int> {
        var numbers: Set<Int> = []
        for session in await self.directory.currentSessions() {
            // One that is suspended already is its caller's.
            guard let facts = try? await session.facts, facts.suspendReason == .none else { continue }
            guard (try? await session.suspend(.appBackgrounded)) != nil else { continue }
            numbers.insert(session.number)
        }
        return numbers
    }

    private func resumeSessions(_ numbers: Set<Int>?) async {
        let sessions = await self.directory.currentSessions()
        await withTaskGroup(of: Void.self) { group in
            for session in sessions where numbers?.contains(session.number) ?? true {
                group.addTask {
                    guard (try? await session.facts.suspendReason) == .appBackgrounded else { return }
                    try? await session.resume(.foreground, within: Self.resumePatience)
                }
            }
        }
    }
}
