import CastwayTestSupport
import GatewayMetrics
import Testing

/// Instruments of swift-metrics and what a scrape finds of them.
@Suite(.timeLimit(.minutes(1))) struct MetricsRegistryTests {
    private static let tests = MetricDeclaration(
        "test_things_total", .counter, "Things", labels: [.init("kind", "Any text"), .init("place", "Any text")])

    private static func lines(_ registry: MetricsRegistry) async -> [Substring] {
        await registry.text(.prometheus).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test func everyInstrumentIsFoundAgain() async {
        let registry = MetricsRegistry([Self.tests])
        for _ in 0..<3 { registry.counter(Self.tests, "a", "b").increment() }
        registry.counter(Self.tests, "a", "b").increment(by: 4)
        registry.counter(Self.tests, "a", "b").increment(by: -2)
        Meter(label: "test_level", factory: registry).set(2)
        Meter(label: "test_level", factory: registry).increment(by: 0.5)
        Gauge(label: "test_gauge", factory: registry).record(7)
        Timer(label: "test_time_seconds", factory: registry).recordMilliseconds(2)
        Recorder(label: "test_size", factory: registry).record(0.2)
        let lines = await Self.lines(registry)
        #expect(lines.contains(#"test_things_total{kind="a",place="b"} 7"#))
        #expect(lines.contains("test_level 2.5"))
        #expect(lines.contains("test_gauge 7"))
        #expect(lines.contains(#"test_time_seconds_bucket{le="0.0025"} 1"#))
        #expect(lines.contains("test_time_seconds_sum 0.002"))
        #expect(lines.contains(#"test_size_bucket{le="0.1"} 0"#))
        #expect(lines.contains(#"test_size_bucket{le="0.25"} 1"#))
    }

    @Test func registriesCountApart() async {
        let (one, other) = (MetricsRegistry([Self.tests]), MetricsRegistry([Self.tests]))
        one.counter(Self.tests, "a", "b").increment()
        #expect(await Self.lines(one).count == 1)
        #expect(await Self.lines(other).isEmpty)
    }

    /// Names that a peer might come to choose: no more series than may be, and none of the counts is lost.
    @Test func inventedNamesEndInOneSeries() async throws {
        let registry = MetricsRegistry([Self.tests, .seriesOverflows])
        let count = 100_000
        for number in 0..<count { registry.counter(Self.tests, "urn:x-cast:\"\(number)\"\n", "x").increment() }
        let families = await registry.families()
        let things = try #require(families.first { $0.declaration.name == Self.tests.name })
        #expect(things.samples.count == MetricsRegistry.maximumSeries)
        let rest = count - MetricsRegistry.maximumSeries + 1
        let lines = await Self.lines(registry)
        #expect(lines.contains(#"test_things_total{kind="other",place="other"} \#(rest)"#))
        #expect(lines.contains(#"castway_metrics_series_overflows_total{metric="test_things_total"} \#(rest)"#))
        let verdict = try Promtool.check(metrics: await registry.text(.prometheus))
        #expect(verdict.isContent, "\(verdict.text)")
    }

    @Test func inventedMetricsAreBoundedToo() async {
        let registry = MetricsRegistry([])
        for number in 0..<2000 { Counter(label: "test_\(number)_total", factory: registry).increment() }
        #expect(await registry.families().count == 501)
    }

    @Test func namesAndLabelsAreMadeFit() async throws {
        let registry = MetricsRegistry([])
        Counter(
            label: "9 http.client-requests_total",
            dimensions: [("a-b", String(repeating: "é", count: 1000)), ("a.b", "second"), ("", "x")], factory: registry
        ).increment()
        let text = await registry.text(.prometheus)
        let value = String(repeating: "é", count: 128)
        #expect(text.contains(#"_9_http_client_requests_total{a_b="\#(value)",_="x"} 1"#), "\(text)")
        #expect(try Promtool.check(metrics: text).isContent)
    }

    @Test func anInstrumentOfAnotherTypeHasNoPlace() async {
        let registry = MetricsRegistry([Self.tests, .seriesOverflows])
        registry.counter(Self.tests, "a", "b").increment()
        registry.meter(Self.tests, "a", "b").set(9)
        let lines = await Self.lines(registry)
        #expect(lines.contains(#"test_things_total{kind="a",place="b"} 1"#))
        #expect(lines.contains(#"castway_metrics_series_overflows_total{metric="other"} 1"#))
    }

    @Test func collectorsOfOneMetricAreBroughtTogether() async {
        let registry = MetricsRegistry([Self.tests])
        for value in [1.0, 2.0] {
            registry.add {
                var family = MetricFamily(Self.tests)
                family.add(["a", "b"], value)
                return [family]
            }
        }
        #expect(await Self.lines(registry) == [#"test_things_total{kind="a",place="b"} 3"#])
    }

    @Test func countersTakeWritesOfManyThreads() async {
        let registry = MetricsRegistry([Self.tests])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = registry.counter(Self.tests, "a", "b")
                    let meter = Meter(label: "test_level", factory: registry)
                    for _ in 0..<10_000 {
                        counter.increment()
                        meter.increment()
                    }
                }
            }
            group.addTask { for _ in 0..<100 { _ = await registry.text(.openMetrics) } }
        }
        let lines = await Self.lines(registry)
        #expect(lines.contains(#"test_things_total{kind="a",place="b"} 80000"#))
        #expect(lines.contains("test_level 80000"))
    }

    @Test func declarationsAreWhatPrometheusWants() throws {
        let all = MetricDeclaration.all
        #expect(Set(all.map(\.name)).count == all.count)
        let families = all.map { declaration in
            let value: MetricValue = declaration.kind == .histogram ? .histogram(HistogramCounts()) : .number(1)
            var family = MetricFamily(declaration)
            family.add(declaration.labels.map { _ in "x" }, value)
            return family
        }
        let verdict = try Promtool.check(metrics: ExpositionWriter(.prometheus).text(of: families))
        #expect(verdict.isContent, "\(verdict.text)")
        for declaration in all { #expect(!declaration.help.hasSuffix("."), "\(declaration.name)") }
    }
}
