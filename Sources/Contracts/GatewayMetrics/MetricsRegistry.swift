package import CoreMetrics
import Synchronization

/// The metrics of one gateway: instruments of swift-metrics that are written to, and collectors that are asked at a scrape.
///
/// Each gateway has its own and hands it to whatever measures, so that several gateways of one process count apart; the global
/// `MetricsSystem` is not used. The number of series is bounded: a metric with too many gets a last one whose labels all say
/// `other`, and what went there is counted. Writing to an instrument takes no lock; making one does.
package final class MetricsRegistry: MetricsFactory {
    /// Gives what a feature knows at the moment of a scrape.
    package typealias Collector = @Sendable () async -> [MetricFamily]

    /// How many series a metric has at most.
    package static let maximumSeries = 1000
    /// How many metrics there are at most.
    static let maximumMetrics = 500
    /// How many bytes the value of a label has at most.
    private static let maximumLabelBytes = 256
    /// What labels say in the last series of a metric with too many.
    static let other = "other"

    private struct Metric {
        let declaration: MetricDeclaration
        var series: [[MetricLabelValue]: any MetricInstrument] = [:]
        /// How many instruments were asked for beyond the limit.
        var overflows = 0
    }

    private struct State {
        var metrics: [String: Metric] = [:]
        var collectors: [Collector] = []
        /// Instruments that could not be had: of too many metrics, or of one that is of another type.
        var refused = 0
    }

    private let declarations: [String: MetricDeclaration]
    private let state = Mutex(State())

    /// Starts without series.
    /// - Parameter declarations: what metrics are called and mean; an instrument of another name gets a help text of its own.
    package init(_ declarations: [MetricDeclaration] = MetricDeclaration.all) {
        self.declarations = Dictionary(declarations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Scrapes

    /// Has a collector asked at every scrape, from now on.
    package func add(_ collector: @escaping Collector) {
        self.state.withLock { $0.collectors.append(collector) }
    }

    /// Asks no collector any more, and lets go of what they hold.
    package func removeCollectors() {
        let collectors = self.state.withLock { state in
            defer { state.collectors = [] }
            return state.collectors
        }
        // What they hold goes after the lock.
        _ = collectors
    }

    /// Everything that there is now, by name.
    package func families() async -> [MetricFamily] {
        let (metrics, collectors, refused) = self.state.withLock { ($0.metrics, $0.collectors, $0.refused) }
        var families: [MetricFamily] = []
        var overflows = MetricFamily(.seriesOverflows)
        for metric in metrics.values {
            families.append(
                MetricFamily(metric.declaration, metric.series.map { MetricSample($0.key, $0.value.value) }))
            if metric.overflows > 0 { overflows.add([metric.declaration.name], Double(metric.overflows)) }
        }
        if refused > 0 { overflows.add([Self.other], Double(refused)) }
        families.append(overflows)
        for collect in collectors { families += await collect() }
        return MetricFamily.merged(families)
    }

    /// What a scrape is answered.
    package func text(_ format: ExpositionFormat) async -> String {
        ExpositionWriter(format).text(of: await self.families())
    }

    // MARK: Instruments

    /// Makes or finds a counter.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.instrument(label, dimensions, .counter) { CounterInstrument() }
    }

    /// Makes or finds a histogram for what is aggregated, a gauge for what is not.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? self.instrument(label, dimensions, .histogram) { HistogramInstrument() }
            : self.instrument(label, dimensions, .gauge) { GaugeInstrument() }
    }

    /// Makes or finds a gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.instrument(label, dimensions, .gauge) { GaugeInstrument() }
    }

    /// Makes or finds a histogram.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.instrument(label, dimensions, .histogram) { HistogramInstrument() }
    }

    /// Forgets a series.
    package func destroyCounter(_ handler: any CounterHandler) { self.remove(handler) }

    /// Forgets a series.
    package func destroyRecorder(_ handler: any RecorderHandler) { self.remove(handler) }

    /// Forgets a series.
    package func destroyMeter(_ handler: any MeterHandler) { self.remove(handler) }

    /// Forgets a series.
    package func destroyTimer(_ handler: any TimerHandler) { self.remove(handler) }

    private func remove(_ handler: AnyObject) {
        self.state.withLock { state in
            for (name, var metric) in state.metrics {
                metric.series = metric.series.filter { $0.value !== handler }
                state.metrics[name] = metric
            }
        }
    }

    private func instrument<Instrument: MetricInstrument>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricDeclaration.Kind, _ make: () -> Instrument
    ) -> Instrument {
        let name = Self.metricName(label)
        let labels = Self.labels(dimensions)
        return self.state.withLock { state in
            var metric = state.metrics[name] ?? Metric(declaration: self.declaration(name, kind))
            guard metric.declaration.kind == kind, !metric.series.isEmpty || state.metrics.count < Self.maximumMetrics
            else {
                state.refused += 1
                return make()
            }
            defer { state.metrics[name] = metric }
            if let known = metric.series[labels] as? Instrument { return known }
            var place = labels
            if metric.series.count >= Self.maximumSeries - 1, !labels.isEmpty {
                metric.overflows += 1
                place = labels.map { MetricLabelValue($0.name, Self.other) }
                if let known = metric.series[place] as? Instrument { return known }
            }
            let instrument = make()
            metric.series[place] = instrument
            return instrument
        }
    }

    private func declaration(_ name: String, _ kind: MetricDeclaration.Kind) -> MetricDeclaration {
        self.declarations[name] ?? MetricDeclaration(name, kind, "Measured by a library that Castway is made of")
    }

    // MARK: Names

    /// A name as Prometheus allows it.
    private static func metricName(_ label: String) -> String { self.name(label, colon: true) }

    private static func name(_ text: String, colon: Bool) -> String {
        let name = text.unicodeScalars.prefix(self.maximumLabelBytes).map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
            case ":" where colon: Character(scalar)
            default: "_"
            }
        }
        guard let first = name.first, !first.isNumber else { return "_" + String(name) }
        return String(name)
    }

    /// Labels in a fixed order, so that the same ones are the same series; of a name that is given twice the first counts.
    private static func labels(_ dimensions: [(String, String)]) -> [MetricLabelValue] {
        var seen: Set<String> = []
        return dimensions.map { (Self.name($0.0, colon: false), $0.1) }
            .filter { seen.insert($0.0).inserted }
            .map { MetricLabelValue($0.0, Self.bounded($0.1)) }
    }

    /// A value that is no longer than it may be, cut between characters.
    private static func bounded(_ value: String) -> String {
        guard value.utf8.count > self.maximumLabelBytes else { return value }
        var cut = ""
        var count = 0
        for scalar in value.unicodeScalars {
            count += UTF8.width(scalar)
            if count > self.maximumLabelBytes { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut
    }
}
