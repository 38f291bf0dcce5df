import GatewayCore
import GatewayMetrics
import PluginHosting

/// The plugins as they stand, as metrics.
struct PluginMetrics: Sendable {
    let plugins: [PluginStatus]
    /// Calls that routers did not make since a handler kept failing.
    let suspended: [MessageCounts.HandlerCall: Int]
    /// On how many virtual devices a handler is not asked for a while, by its name.
    let openBreakers: [String: Int]

    /// The metrics of all plugins.
    var families: [MetricFamily] { self.plugins.flatMap(self.families(of:)) }

    private func families(of status: PluginStatus) -> [MetricFamily] {
        let (name, counts) = (status.instance.name, status.counts)
        func family(_ declaration: MetricDeclaration, _ value: Int) -> MetricFamily {
            var family = MetricFamily(declaration)
            family.add([name], Double(value))
            return family
        }
        var restarts = MetricFamily(.pluginRestarts)
        for (reason, count) in status.restarts { restarts.add([name, reason], Double(count)) }
        var calls = MetricFamily(.pluginCalls)
        for (key, count) in counts.calls.results {
            calls.add([name, key.phase.rawValue, key.result.rawValue], Double(count))
        }
        for (call, count) in self.suspended where call.handler == name && call.phase != .observe {
            calls.add([name, call.phase.rawValue, "breaker"], Double(count))
        }
        var durations = MetricFamily(.pluginCallDuration)
        for (phase, counts) in counts.calls.durations { durations.add([name, phase.rawValue], .histogram(counts)) }
        var families = [
            family(.pluginUp, [.ready, .degraded].contains(status.state) ? 1 : 0), restarts, calls, durations,
            family(.pluginInFlight, status.inFlight), family(.pluginBreakerOpen, self.openBreakers[name] ?? 0),
            family(.pluginNoise, counts.stray + counts.oversized), family(.pluginLateReplies, counts.late),
            family(.observeDrops, counts.dropped),
        ]
        if let bytes = status.residentBytes { families.append(family(.pluginMemory, bytes)) }
        return families
    }
}
