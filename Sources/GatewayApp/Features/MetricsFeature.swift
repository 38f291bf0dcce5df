import CastIdentity
import CastTransport
import ControlAPI
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayMetrics
import Logging
import NIOCore
import Passthrough
import PluginHosting
import PluginKit
import ServiceLifecycle
import Synchronization
import SystemPrimitives
import VirtualDevices

/// What is measured: asks the other features at each scrape, and has it read where `metrics` says.
///
/// What the gateway counts anyway, and what it knows, is always told on the admin listener; messages are counted only with
/// `metrics` in the configuration.
final class MetricsFeature: GatewayFeature {
    /// What is asked at a scrape.
    struct Sources: Sendable {
        let identities: IdentityStore
        let admission: Admission
        let devices: DeviceSessionDirectory
        let fleet: VirtualDeviceFleet
        let running: RunningDevices
        let passed: RunningPassthroughs
        let streams: PassedStreams
        let plugins: PluginFleet
        let journal: EventJournal
        let bridges: BridgeMetrics
    }

    /// How long event loops have to answer a scrape.
    private static let patience = Duration.seconds(2)

    let name = "metrics"
    private let context: GatewayContext
    private let sources: Sources
    private let logger: Logger
    private let probes = Mutex<ControlProbes?>(nil)
    private let service: MetricsService

    init(_ context: GatewayContext, _ sources: Sources) {
        self.context = context
        self.sources = sources
        self.logger = context.makeLogger("Metrics")
        self.service = MetricsService()
        let metrics = context.metrics
        metrics.meter(.lastReloadSuccessful).set(1)
        metrics.meter(.lastReloadTimestamp).set(context.wallClock())
        metrics.add { ProcessMetrics.families() }
        metrics.add { Self.build(context.version) }
        metrics.add { [weak self] in await self?.families() ?? [] }
    }

    // MARK: The listener

    func whenReady(_ callback: @escaping @Sendable () -> Void) {
        self.service.gate.whenOpen(callback)
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        let probes = GatewayProbes(context: self.context, features: features).probes()
        self.probes.withLock { $0 = probes }
        let address = self.context.configuration.current.metrics?.listen
        self.service.begins { [self] in
            guard let address else { return nil }
            return try await self.listener(at: address, probes)
        }
        return [StagedService(.alone, self.service)]
    }

    /// Where metrics can be read now; nil when that is the admin listener alone.
    var port: Int? { self.service.current?.port }

    private func listener(
        at address: ListenAddress, sharesAddress: Bool = false, _ probes: ControlProbes
    ) async throws -> MetricsListener {
        try await MetricsListener(
            at: address, sharesAddress: sharesAddress,
            hosts: { [context] in context.configuration.current.metrics?.hosts ?? [] }, probes: probes,
            admission: self.sources.admission, logger: self.logger)
    }

    func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        let (old, new) = (change.old.metrics?.listen, change.new.metrics?.listen)
        guard old != new else { return nil }
        let current = self.service.current
        guard let new, let probes = self.probes.withLock({ $0 }) else {
            return PreparedChange(commit: { await self.service.replace(by: nil) })
        }
        // Another host with the same port: both listen for a moment.
        let isShared = current.map { $0.port == new.port } ?? false
        if isShared { try await current?.share(true) }
        let next: MetricsListener
        do {
            next = try await self.listener(at: new, sharesAddress: isShared, probes)
        } catch {
            if isShared { try? await current?.share(false) }
            throw error
        }
        return PreparedChange(
            commit: { await self.service.replace(by: next) },
            settle: { if isShared { try? await next.share(false) } },
            undo: {
                await next.discard()
                if isShared { try? await current?.share(false) }
            })
    }

    // MARK: What is asked at a scrape

    private static func build(_ version: String) -> [MetricFamily] {
        var info = MetricFamily(.buildInfo)
        info.add([version, Self.compiler, PluginProtocol.versions.upperBound.description], 1)
        return [info]
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    private func families() async -> [MetricFamily] {
        let section = self.context.configuration.current.metrics
        let isPerDevice = section?.perDevice ?? false
        let counted = await self.context.metering.counts(within: Self.patience)
        let census = await self.sources.devices.census(within: Self.patience)
        let pulse = LoopPulse(
            eventLoops: Array(self.context.eventLoops.makeIterator()), devices: self.sources.running)
        let states = await pulse.take(within: Self.patience)
        let silent = counted.silentLoops + census.silentLoops + states.silent.count
        if silent > 0 { self.context.metrics.counter(.scrapeTimeouts).increment(by: silent) }
        let passed = await LoopPatience.$current.withValue(LoopPatience(Self.patience)) {
            await self.sources.passed.overviews()
        }
        var families =
            self.devices(census) + Self.virtualDevices(states.devices, passed, isPerDevice: isPerDevice)
            + Self.passthrough(passed)
        if section != nil { families += MessageMetrics(devices: counted.devices, isPerDevice: isPerDevice).families }
        families += await self.plugins(counted.devices, states.devices)
        families.append(self.certificates())
        families += MirroringMetrics.families(self.sources.devices.streamCounts, self.sources.streams.counts)
        families += self.journal()
        families += self.sources.bridges.families
        return families
    }

    private func devices(_ census: DeviceSessionDirectory.Census) -> [MetricFamily] {
        var devices = MetricFamily(.realDevices)
        devices.add(["online"], Double(census.online))
        devices.add(["offline"], Double(census.offline))
        devices.add(["unknown"], Double(census.unknown))
        let links = self.sources.devices.linkCounts
        var connections = MetricFamily(.deviceConnections)
        connections.add(["online"], Double(links.online))
        connections.add(["failed"], Double(links.failed))
        var reconnects = MetricFamily(.reconnects)
        for (reason, count) in links.reconnects { reconnects.add([reason], Double(count)) }
        var channels = MetricFamily(.channels)
        channels.add(["north"], Double(self.sources.admission.count(of: .senders)))
        channels.add(["south"], Double(census.online))
        var sessions = MetricFamily(.sessions)
        for state in SessionConnectionState.allCases {
            sessions.add([state.rawValue], Double(census.sessions[state] ?? 0))
        }
        return [devices, connections, reconnects, channels, sessions]
    }

    private static func passthrough(_ devices: [PassthroughOverview]) -> [MetricFamily] {
        var (connections, bytes) = (MetricFamily(.passthroughConnections), MetricFamily(.passthroughBytes))
        let counts = devices.map(\.counts)
        connections.add(["connected"], Double(counts.reduce(0) { $0 + $1.opened }))
        connections.add(["refused"], Double(counts.reduce(0) { $0 + $1.refused }))
        bytes.add(["sender"], Double(counts.reduce(0) { $0 + $1.fromSenders }))
        bytes.add(["device"], Double(counts.reduce(0) { $0 + $1.fromDevice }))
        return [connections, bytes]
    }

    private static func virtualDevices(
        _ states: [VirtualDeviceState], _ passed: [PassthroughOverview], isPerDevice: Bool
    ) -> [MetricFamily] {
        var (senders, apps) = (MetricFamily(.senders), MetricFamily(.apps))
        if isPerDevice {
            let names = Set(passed.map(\.name))
            for state in states {
                guard !names.contains(state.name) else {
                    apps.add([state.name], Double(state.sessions))
                    continue
                }
                senders.add([state.name], Double(state.senders))
                apps.add([state.name], Double(state.sessions))
            }
            for device in passed { senders.add([device.name], Double(device.splices.count)) }
        } else {
            let splices = passed.reduce(0) { $0 + $1.splices.count }
            senders.add([], Double(states.reduce(splices) { $0 + $1.senders }))
            apps.add([], Double(states.reduce(0) { $0 + $1.sessions }))
        }
        return [senders, apps]
    }

    private func plugins(
        _ counted: [String: MessageCounts], _ states: [VirtualDeviceState]
    ) async -> [MetricFamily] {
        let services = self.sources.plugins.current
        let plugins = await withTaskGroup(of: PluginStatus?.self) { group in
            for service in services { group.addTask { await service.status(within: Self.patience) } }
            var statuses: [PluginStatus] = []
            for await status in group { if let status { statuses.append(status) } }
            return statuses.sorted { $0.instance.name < $1.instance.name }
        }
        let silent = services.count - plugins.count
        if silent > 0 { self.context.metrics.counter(.scrapeTimeouts).increment(by: silent) }
        let suspended = counted.values.reduce(into: [:]) { $0.merge($1.suspended, uniquingKeysWith: +) }
        var open: [String: Int] = [:]
        for name in states.flatMap(\.suspendedHandlers) { open[name, default: 0] += 1 }
        return PluginMetrics(plugins: plugins, suspended: suspended, openBreakers: open).families
    }

    private func journal() -> [MetricFamily] {
        let counts = self.sources.journal.counts
        var events = MetricFamily(.journalEvents)
        events.add(["state"], Double(counts.states))
        events.add(["log"], Double(counts.logs))
        events.add(["lost"], Double(counts.lost))
        var skips = MetricFamily(.journalSkips)
        skips.add(["coalesced"], Double(counts.coalesced))
        skips.add(["left_out"], Double(counts.leftOut))
        skips.add(["gap"], Double(counts.gaps))
        var resyncs = MetricFamily(.journalResyncs)
        resyncs.add([], Double(counts.resyncs))
        return [events, skips, resyncs]
    }

    private func certificates() -> MetricFamily {
        var family = MetricFamily(.certificateExpiry)
        do throws(IdentityError) {
            let root = try self.sources.identities.root(now: self.context.wallClock())
            family.add(["root"], Double(root.notAfter))
        } catch {
            // One that has ended is no root any more, and what there is to be told of it.
            if case .rootExpired(let end) = error { family.add(["root"], Double(end)) }
        }
        if let end = self.sources.fleet.current.values.compactMap(\.certificateEnd).min() {
            family.add(["virtual_device"], Double(end))
        }
        return family
    }
}

/// Runs the listener of metrics, and its successors, until graceful shutdown.
private final class MetricsService: Service, CustomStringConvertible {
    private struct State {
        var current: MetricsListener?
        var isOver = false
        var makeFirst: @Sendable () async throws -> MetricsListener? = { nil }
    }

    private let state = Mutex(State())
    private let listeners: AsyncStream<MetricsListener>
    private let input: AsyncStream<MetricsListener>.Continuation
    /// Open once the first listener listens, or there is none.
    let gate = ReadyGate()

    init() {
        (self.listeners, self.input) = AsyncStream.makeStream(of: MetricsListener.self)
    }

    var description: String { "metrics listener" }

    /// The listener in force.
    var current: MetricsListener? { self.state.withLock { $0.current } }

    /// Says how the first listener is made.
    func begins(_ make: @escaping @Sendable () async throws -> MetricsListener?) {
        self.state.withLock { $0.makeFirst = make }
    }

    /// Puts another listener in the place of the one in force, which gives its address up.
    func replace(by next: MetricsListener?) async {
        let old = self.state.withLock { state in
            defer { state.current = next }
            return state.current
        }
        // Once the gateway stops none is run.
        if let next, case .terminated = self.input.yield(next) { await next.discard() }
        old?.quiesce()
    }

    func run() async throws {
        let make = self.state.withLock { state in
            defer { state.makeFirst = { nil } }
            return state.makeFirst
        }
        if let first = try await make() { await self.replace(by: first) }
        self.gate.open()
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { group in
                    for await listener in self.listeners { group.addTask { await listener.run() } }
                }
            } onCancel: {
                self.input.finish()
            }
        } onGracefulShutdown: {
            self.input.finish()
            self.current?.quiesce()
        }
    }
}
