import ControlAPI
package import GatewayCore
import GatewayMetrics
import GatewaySettings

/// One scrape of the metrics, for the features that are asked for theirs.
package struct MetricsScrape: Sendable {
    /// How long event loops have to answer.
    package static let patience = Duration.seconds(2)

    /// Whether series are told apart by virtual device.
    package let isPerDevice: Bool
    /// What routers have counted, by virtual device.
    package let counted: [String: MessageCounts]
    private let registry: MetricsRegistry

    /// Asks the routers for their counts.
    package init(_ context: GatewayContext) async {
        self.isPerDevice = context.configuration.current.metrics?.perDevice ?? false
        self.registry = context.metrics
        let counts = await context.metering.counts(within: Self.patience)
        self.counted = counts.devices
        self.missed(counts.silentLoops)
    }

    /// Counts event loops that did not answer in time.
    package func missed(_ count: Int) {
        if count > 0 { self.registry.counter(.scrapeTimeouts).increment(by: count) }
    }
}
