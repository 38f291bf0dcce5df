import CastwayTestSupport
import GatewayMetrics
import Testing

/// The text of a scrape, to the byte.
@Suite(.timeLimit(.minutes(1))) struct ExpositionWriterTests {
    private static let requests = MetricDeclaration(
        "test_requests_total", .counter, "Requests, \"all\" of them\nin C:\\", labels: [.init("path", "Any text")])
    private static let level = MetricDeclaration("test_level_bytes", .gauge, "A level")
    private static let info = MetricDeclaration("test_build_info", .info, "Facts", labels: [.init("version", "It")])
    private static let time = MetricDeclaration("test_time_seconds", .histogram, "Times")

    private static var families: [MetricFamily] {
        var requests = MetricFamily(Self.requests)
        requests.add(["b"], 2)
        requests.add(["a \"quoted\" \\ back\nline\u{0}"], 1)
        var info = MetricFamily(Self.info)
        info.add(["1.0"], 1)
        return [info, MetricFamily(Self.level, 1.5), requests]
    }

    @Test func prometheusTextIsExact() {
        #expect(
            ExpositionWriter(.prometheus).text(of: Self.families) == """
                # HELP test_build_info Facts
                # TYPE test_build_info gauge
                test_build_info{version="1.0"} 1
                # HELP test_level_bytes A level
                # TYPE test_level_bytes gauge
                test_level_bytes 1.5
                # HELP test_requests_total Requests, "all" of them\\nin C:\\\\
                # TYPE test_requests_total counter
                test_requests_total{path="a \\"quoted\\" \\\\ back\\nline\u{0}"} 1
                test_requests_total{path="b"} 2

                """)
    }

    @Test func openMetricsTextIsExact() {
        #expect(
            ExpositionWriter(.openMetrics).text(of: Self.families) == """
                # HELP test_build Facts
                # TYPE test_build info
                test_build_info{version="1.0"} 1
                # HELP test_level_bytes A level
                # TYPE test_level_bytes gauge
                # UNIT test_level_bytes bytes
                test_level_bytes 1.5
                # HELP test_requests Requests, \\"all\\" of them\\nin C:\\\\
                # TYPE test_requests counter
                test_requests_total{path="a \\"quoted\\" \\\\ back\\nline\u{0}"} 1
                test_requests_total{path="b"} 2
                # EOF

                """)
    }

    @Test func aHistogramAddsItsBucketsUp() {
        var counts = HistogramCounts()
        for nanoseconds: Int64 in [-5, 0, 100_000, 100_001, 5_000_000_000, 5_000_000_001] {
            counts.observe(nanoseconds: nanoseconds)
        }
        let text = ExpositionWriter(.prometheus).text(
            of: [MetricFamily(Self.time, [MetricSample([], .histogram(counts))])])
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.first == #"test_time_seconds_bucket{le="0.0001"} 3"#)
        #expect(lines.contains(#"test_time_seconds_bucket{le="0.00025"} 4"#))
        #expect(lines.contains(#"test_time_seconds_bucket{le="1.0"} 4"#))
        #expect(lines.contains(#"test_time_seconds_bucket{le="5.0"} 5"#))
        #expect(lines.contains(#"test_time_seconds_bucket{le="+Inf"} 6"#))
        #expect(lines.suffix(2) == ["test_time_seconds_sum 10.000200002", "test_time_seconds_count 6"])
    }

    @Test(arguments: [
        (0, "0"), (-0.0, "0"), (1e15, "1000000000000000"), (0.25, "0.25"), (1e300, "1e+300"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func numbersAreWrittenAsPrometheusReadsThem(value: Double, text: String) {
        #expect(ExpositionWriter(.prometheus).text(of: [MetricFamily(Self.level, value)]).hasSuffix("bytes \(text)\n"))
    }

    @Test func promtoolReadsWhatPeersMayCallThings() throws {
        var requests = MetricFamily(Self.requests)
        let names = [
            "\"", "\\", "\n", "\r", "\t", "{}", "é", "\u{FEFF}", "\u{1F600}", "", " ", "a=\"b\",c=\"d\"", "\u{0}\u{1}",
        ]
        for name in names { requests.add([name], 1) }
        let verdict = try Promtool.check(metrics: ExpositionWriter(.prometheus).text(of: [requests]))
        #expect(verdict.isContent, "\(verdict.text)")
        // It does find what is wrong.
        #expect(try !Promtool.check(metrics: "test_requests{path=\"\n\"} 1\n").isContent)
    }

    @Test(
        arguments: [
            (nil, ExpositionFormat.prometheus), ("", .prometheus), ("*/*", .prometheus),
            ("text/html, nonsense;;q", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=1.0.0;q=0.5,*/*;q=0.1", .openMetrics),
            ("application/openmetrics-text;version=2.0.0, text/plain;version=0.0.4;q=0.3", .prometheus),
            ("text/plain;q=0.9,application/openmetrics-text;q=0.1", .prometheus),
            ("application/openmetrics-text;q=0, */*", .prometheus), ("application/openmetrics-text;q=7", .prometheus),
            (
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                .openMetrics
            ),
        ] as [(String?, ExpositionFormat)])
    func theFormatIsWhatTheScraperPrefers(accept: String?, format: ExpositionFormat) {
        #expect(ExpositionFormat(accept: accept) == format)
    }
}
