import CastWire
import CastwayTestSupport
import ControlAPI
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayMetrics
import GatewaySettings
import SystemPrimitives
import Testing
import VirtualDevices

/// What is measured in a whole gateway, read over HTTP as Prometheus does.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MetricsTests {
    private static let anywhere = ListenAddress(host: "127.0.0.1", port: 0)

    private static func measured(_ change: (inout MetricsConfiguration) -> Void = { _ in }) -> MetricsConfiguration {
        MetricsConfiguration {
            $0.listen = Self.anywhere
            change(&$0)
        }
    }

    private static func configuration(
        _ change: (inout MetricsConfiguration) -> Void = { _ in }
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.metrics = Self.measured(change)
        return configuration
    }

    /// The series of a scrape that say something, by name and labels.
    private static func scrape(_ gateway: Gateway) async throws -> [String: Double] {
        let port = try #require(gateway.metricsPort)
        let (head, body) = try await HTTPAsker.get("/metrics", port: port)
        #expect(head.hasPrefix("HTTP/1.1 200"))
        #expect(head.lowercased().contains("content-type: text/plain; version=0.0.4; charset=utf-8"))
        let verdict = try Promtool.check(metrics: body)
        #expect(verdict.isContent, "\(verdict.text)")
        let known = Dictionary(uniqueKeysWithValues: MetricDeclaration.all.map { ($0.name, $0) })
        var series: [String: Double] = [:]
        for line in body.split(separator: "\n") where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            let name = String(line[..<space])
            #expect(series.updateValue(try #require(Double(line[line.index(after: space)...])), forKey: name) == nil)
            var family = String(name.prefix { $0 != "{" })
            for ending in ["_bucket", "_sum", "_count"] where known[family] == nil && family.hasSuffix(ending) {
                family.removeLast(ending.count)
            }
            let declaration = try #require(known[family], "\(name) is not declared")
            let labels = Set(name.matches(of: /[{,]([a-z_]+)="/).map { String($0.1) }).subtracting(["le"])
            #expect(labels.isSubset(of: declaration.labels.map(\.name)), "\(name)")
        }
        return series
    }

    @Test func numbersMoveAsSendersAndMessagesDo() async throws {
        try await RunningGateway.with(Self.configuration()) { running in
            let gateway = running.gateway
            let before = try await Self.scrape(gateway)
            #expect(before["castway_channels{leg=\"north\"}"] == 0)
            #expect(before["castway_senders"] == 0)
            #expect(before["castway_config_last_reload_successful"] == 1)
            try await TestSender.connect(to: running.port("hall")) { sender in
                _ = try await sender.connectPlatform()
                try await sender.send(["type": "LAUNCH", "requestId": 2, "appId": "ABCD1234"], in: .receiver)
                let status = ReceiverStatus(json: try #require(try await sender.answer(to: 2)?.object("status")))
                let transport = try #require(status.applications.first?.transportID)
                try await sender.send(["type": "CONNECT"], in: .connection, to: transport)
                let base = try await Self.scrape(gateway)
                for number in 0..<20 {
                    try await sender.send(
                        ["type": "X", "requestId": .number(100 + number)], in: "urn:x-cast:com.example.echo",
                        to: transport)
                    _ = try await sender.answer(to: 100 + number)
                }
                // Namespaces that no configuration has.
                for number in 0..<30 {
                    try await sender.send(
                        ["type": "X"], in: Namespace(rawValue: "urn:x-cast:com.invented.\"\(number)"), to: transport)
                }
                _ = try await sender.status(requestID: 500)
                let after = try await Self.scrape(gateway)
                func grown(_ name: String) -> Double { (after[name] ?? 0) - (base[name] ?? 0) }
                let north = #"castway_messages_total{leg="north",direction="to_receiver",namespace="#
                #expect(grown(north + #""urn:x-cast:com.example.echo",disposition="replied"}"#) == 20)
                #expect(
                    grown(north + #""other",disposition="forwarded"}"#)
                        + grown(north + #""other",disposition="rejected"}"#) == 30)
                #expect(grown(#"castway_message_bytes_total{leg="north",direction="to_receiver"}"#) > 300)
                #expect(grown(#"castway_route_duration_seconds_count{phase="handle"}"#) >= 20)
                #expect(after["castway_channels{leg=\"north\"}"] == 1)
                #expect(after["castway_senders"] == 1)
                #expect(after["castway_apps"] == 1)
                #expect(after.keys.allSatisfy { !$0.contains("invented") && !$0.contains("hall") })
                #expect(try #require(after["process_cpu_seconds_total"]) >= before["process_cpu_seconds_total"] ?? 0)
                #expect(try #require(after["process_resident_memory_bytes"]) > 1e6)
                #expect(try #require(after["process_open_fds"]) > 3)
                #expect(try #require(after["process_start_time_seconds"]) > 1.6e9)
                let now = Double(WallClock.secondsSince1970)
                let end = try #require(after[#"castway_certificate_expiry_timestamp_seconds{name="virtual_device"}"#])
                #expect(end > now && end < now + 4 * 86_400)
                #expect(try #require(after[#"castway_certificate_expiry_timestamp_seconds{name="root"}"#]) > end)
            }
        }
    }

    @Test func aDeviceThatIsLostAndFoundIsCounted() async throws {
        try await ReloadBench.with { _, bench in
            var configuration = bench.running.gateway.configuration
            configuration.metrics = Self.measured { $0.perDevice = true }
            _ = try await bench.running.gateway.reload(to: configuration).get()
            try await TestSender.connect(to: bench.port("foyer")) { sender in
                _ = try await sender.launchAndLoad()
                let series = try await Self.scrape(bench.running.gateway)
                #expect(series[#"castway_devices{state="online"}"#] == 1)
                #expect(series[#"castway_channels{leg="south"}"#] == 1)
                #expect(try #require(series[#"castway_device_connections_total{result="online"}"#]) >= 1)
                let south = series.filter {
                    $0.key.hasPrefix(#"castway_messages_total{leg="south""#) && $0.key.contains(#"device="foyer""#)
                }
                #expect(!south.isEmpty)
                #expect(series[#"castway_senders{device="foyer"}"#] == 1)
            }
        }
    }

    @Test func pluginsAndReloadsAreCounted() async throws {
        try await PluginStage.run { stage in
            let gateway = stage.running.gateway
            var configuration = gateway.configuration
            configuration.metrics = Self.measured()
            _ = try await gateway.reload(to: configuration).get()
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                for id in 10..<15 { _ = try await sender.tell(id, at: transport) }
                var series = try await Self.scrape(gateway)
                #expect(series[#"castway_plugin_up{plugin="teller"}"#] == 1)
                #expect(series[#"castway_plugin_calls_total{plugin="teller",phase="handle",result="ok"}"#] == 5)
                #expect(series[#"castway_plugin_call_duration_seconds_count{plugin="teller",phase="handle"}"#] == 5)
                #expect(series[#"castway_plugin_in_flight{plugin="teller"}"#] == 0)
                #expect(try #require(series[#"castway_plugin_resident_memory_bytes{plugin="teller"}"#]) > 1e6)
                #expect(series[#"castway_config_reloads_total{result="ok"}"#] == 1)
                // The file knows nothing of metrics, and is wrong besides.
                let outcome = try await stage.reload(PluginStage.instance("config: {mood: bad}"))
                guard case .failure = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                series = try await Self.scrape(gateway)
                #expect(series[#"castway_config_reloads_total{result="failed"}"#] == 1)
                #expect(series["castway_config_last_reload_successful"] == 0)
            }
        }
    }

    @Test func everyPathAnswersAndIsCountedByItsPattern() async throws {
        try await RunningGateway.with(Self.configuration { $0.hosts = ["gateway.example.com"] }) { running in
            let port = try #require(running.gateway.metricsPort)
            func status(_ path: String, host: String = "127.0.0.1", _ headers: [String] = []) async throws -> String {
                String(
                    try await HTTPAsker.get(path, port: port, host: host, headers: headers).head.dropFirst(9).prefix(3))
            }
            for path in ["/livez", "/readyz", "/readyz?verbose", "/healthz", "/version"] {
                #expect(try await status(path) == "200", "\(path)")
            }
            for path in ["/", "/metrics/x", "/api/v1/plugins", "/%22%0A"] { #expect(try await status(path) == "404") }
            #expect(try await status("/metrics", host: "gateway.example.com") == "200")
            #expect(try await status("/metrics", host: "GATEWAY.example.com") == "200")
            #expect(try await status("/metrics", host: "evil.example.com") == "403")
            #expect(try await status("/metrics", ["Origin: https://evil.example.com"]) == "403")
            let (head, body) = try await HTTPAsker.get(
                "/metrics", port: port, headers: ["Accept: application/openmetrics-text;version=1.0.0"])
            #expect(
                head.lowercased().contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"))
            #expect(body.hasSuffix("# EOF\n"))
            let series = try await Self.scrape(running.gateway)
            #expect(series[#"castway_http_requests_total{route="/readyz",code="200"}"#] == 2)
            #expect(series[#"castway_http_requests_total{route="other",code="404"}"#] == 4)
            #expect(series[#"castway_http_requests_total{route="/metrics",code="403"}"#] == 2)
        }
    }

    @Test func manyMayReadAtOnce() async throws {
        try await RunningGateway.with(Self.configuration()) { running in
            let port = try #require(running.gateway.metricsPort)
            let shapes = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let (head, body) = try await HTTPAsker.get("/metrics", port: port)
                        #expect(head.hasPrefix("HTTP/1.1 200"))
                        #expect(try Promtool.check(metrics: body).isContent)
                        return body.split(separator: "\n").count { $0.hasPrefix("castway_messages") }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(shapes).count == 1)
        }
    }

    @Test func aReloadOpensMovesAndClosesTheListener() async throws {
        try await RunningGateway.with(GatewayConfiguration.hallAndOffice) { running in
            let gateway = running.gateway
            #expect(gateway.metricsPort == nil)
            var configuration = gateway.configuration
            configuration.metrics = Self.measured()
            var plan = try await gateway.reload(to: configuration).get()
            #expect(plan.changes.map(\.path) == ["metrics"])
            _ = try await Self.scrape(gateway)
            let first = try #require(gateway.metricsPort)
            // Another host with the same port.
            configuration.metrics?.listen = ListenAddress(host: "localhost", port: first)
            plan = try await gateway.reload(to: configuration).get()
            #expect(gateway.metricsPort == first)
            _ = try await Self.scrape(gateway)
            configuration.metrics?.listen = ListenAddress(host: "127.0.0.1", port: try FreePort.next())
            plan = try await gateway.reload(to: configuration).get()
            #expect(plan.changes.map(\.description) == ["metrics (listener)"])
            let second = try #require(gateway.metricsPort)
            #expect(second != first)
            _ = try await Self.scrape(gateway)
            await #expect(throws: (any Error).self) { try await HTTPAsker.get("/metrics", port: first) }
            // A taken address is refused, and the old listener stays.
            configuration.metrics?.listen = ListenAddress(host: "127.0.0.1", port: running.port("hall"))
            guard case .failure = await gateway.reload(to: configuration) else {
                Issue.record("a taken address was bound")
                return
            }
            #expect(gateway.metricsPort == second)
            #expect(try await Self.scrape(gateway)["castway_config_last_reload_successful"] == 0)
            configuration.metrics = nil
            _ = try await gateway.reload(to: configuration).get()
            #expect(gateway.metricsPort == nil)
            await #expect(throws: (any Error).self) { try await HTTPAsker.get("/metrics", port: second) }
        }
    }

    /// Counting goes on in the same numbers when it is switched off and on, or a virtual device goes.
    @Test func countersNeverGoBack() async throws {
        try await RunningGateway.with(Self.configuration()) { running in
            let gateway = running.gateway
            func all() async throws -> Double {
                try await Self.scrape(gateway).filter { $0.key.hasPrefix("castway_messages_total") }.values.reduce(0, +)
            }
            try await TestSender.connect(to: running.port("hall")) { sender in
                _ = try await sender.connectPlatform()
            }
            let counted = try await all()
            #expect(counted > 0)
            var configuration = gateway.configuration
            configuration.virtualDevices.removeAll { $0.name == "hall" }
            _ = try await gateway.reload(to: configuration).get()
            #expect(try await all() >= counted)
        }
    }
}
