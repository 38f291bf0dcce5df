import CastTransport
import ControlAPI
import DeviceHosting
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayMetrics
import GatewaySettings
import Logging
import PluginKit
import SystemPrimitives

/// What is measured: asks all features at each scrape, and has it read where `metrics` says.
///
/// What the gateway counts anyway, and what it knows, is always told on the admin listener; messages are counted only with
/// `metrics` in the configuration.
final class MetricsFeature: GatewayFeature {
    let name = "metrics"
    private let context: GatewayContext
    private let admission: Admission
    private let server: MetricsServer
    /// Open once the listener listens, or there is none.
    private let gate = Latch()

    /// - Parameter admission: counts connections over all listeners.
    init(_ context: GatewayContext, admission: Admission) {
        self.context = context
        self.admission = admission
        self.server = MetricsServer(
            MetricsSettings(context.configuration.current.metrics), logger: context.makeLogger("Metrics"),
            onListening: { [gate] in gate.open() })
        context.metrics.meter(.lastReloadSuccessful).set(1)
        context.metrics.meter(.lastReloadTimestamp).set(context.wallClock())
    }

    // MARK: The listener

    func whenReady(_ callback: @escaping @Sendable () -> Void) { self.gate.whenOpen(callback) }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        self.context.metrics.add { [context = self.context] in await Self.families(of: features, context) }
        let probes = GatewayProbes(context: self.context, features: features).probes()
        let running = self.server.serving(probes, admission: self.admission, on: self.context.controlLoops.group)
        return [StagedService(.alone, running)]
    }

    /// Where metrics can be read now; nil when that is the admin listener alone.
    var port: Int? { self.server.port }

    func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        guard change.old.metrics != change.new.metrics else { return nil }
        let replacement = try await self.server.prepare(MetricsSettings(change.new.metrics))
        return PreparedChange(
            commit: { await self.server.commit(replacement) }, undo: { await self.server.undo(replacement) })
    }

    func close() { self.context.metrics.removeCollectors() }

    // MARK: What is asked at a scrape

    /// Asks all features at the same time, so that what does not answer is waited for once.
    private static func families(of features: [any GatewayFeature], _ context: GatewayContext) async -> [MetricFamily] {
        let scrape = await MetricsScrape(context)
        return await withTaskGroup(of: [MetricFamily].self) { group in
            for feature in features { group.addTask { await feature.metrics(for: scrape) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// The metrics of the process, and what routers have counted.
    func metrics(for scrape: MetricsScrape) -> [MetricFamily] {
        var info = MetricFamily(.buildInfo)
        info.add([self.context.version, Self.compiler, PluginProtocol.versions.upperBound.description], 1)
        let families = ProcessMetrics.families() + [info]
        guard self.context.configuration.current.metrics != nil else { return families }
        return families + MessageMetrics(devices: scrape.counted, isPerDevice: scrape.isPerDevice).families
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
}
