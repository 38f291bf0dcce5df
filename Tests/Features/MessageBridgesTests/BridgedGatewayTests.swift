import BuiltInReceiver
import CastWire
import CastwayTestSupport
import ControlAPI
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayMetrics
import GatewayOperations
import NIOCore
import NamespaceHandlers
import Testing

@testable import GatewayApp
@testable import GatewaySettings
@testable import MessageBridges

/// A whole gateway with a back end and a broker: what is counted, and what every way in says.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BridgedGatewayTests {
    private static let echo = "urn:x-cast:com.example.echo"
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private struct Stage {
        let gateway: Gateway
        let backEnd: ScriptedBackEnd
        let broker: Broker

        /// The series of a scrape, by name and labels.
        func series() async throws -> [String: MetricValue] {
            var series: [String: MetricValue] = [:]
            for family in await self.gateway.context.metrics.families() {
                for sample in family.samples {
                    let labels = sample.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                    series["\(family.declaration.name){\(labels)}"] = sample.value
                }
            }
            return series
        }

        /// Waits until a series has a value; each thing that is counted is told as an event or an answer before, or soon.
        func value(_ name: String, atLeast least: Double = 1) async throws -> Double {
            for _ in 0..<200 {
                if case .number(let value)? = try await self.series()[name], value >= least { return value }
                try await Task.sleep(for: .milliseconds(50))  // lint:allow a counter has no event
            }
            return -1
        }

        func call(_ name: OperationName, _ input: JSONObject) async -> OperationCatalogue.Outcome {
            await self.gateway.parts.catalogue(nil).call(name, input, for: .admin)
        }
    }

    private static func with(_ body: (Stage) async throws -> Void) async throws {
        let backEnd = try await ScriptedBackEnd { request, answer in
            let text = String(buffer: request.body)
            if text.contains("refuse") { answer.send(400) } else { answer.send(200, body: "") }
        }
        let broker = try await Broker()
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.virtualDevices[0].apps = [
            VirtualAppConfiguration(id: "ABCD1234") { $0.namespaces = [Self.echo, "urn:x-cast:com.example.app"] }
        ]
        configuration.bridges.webhooks = [
            WebhookConfiguration(name: "backend", url: "http://127.0.0.1:\(backEnd.port)/", secret: Secret(Self.secret))
            {
                $0.allowsPrivate = true
                $0.allowsPlaintext = true
                $0.retry = .pauses([.milliseconds(100)])
            }
        ]
        configuration.bridges.mqtt = MQTTConfiguration(url: "mqtt://127.0.0.1:\(broker.port)") {
            $0.responseTopics = ["me/answers"]
            $0.scopes = [.read, .control, .messages]
        }
        configuration.channels = [
            ChannelConfiguration(namespace: Self.echo) {
                $0.deliver = [ChannelDelivery(webhook: "backend")]
                $0.accept = [.api, .mqtt]
                $0.format = .json
                $0.limits = ChannelLimits {
                    $0.size = 1024
                    $0.perSecond = 50
                }
            }
        ]
        try await RunningGateway.with(configuration) { running in
            try await body(Stage(gateway: running.gateway, backEnd: backEnd, broker: broker))
        }
    }

    @Test func whatBridgesDoIsCounted() async throws {
        try await Self.with { stage in
            #expect(try await stage.value("castway_mqtt_connected{}") == 1)
            #expect(try await stage.value("castway_bridge_up{bridge=webhook:backend}") == 1)
            let outbox = stage.gateway.parts.bridges.bridges.outbox
            for text in ["one", "refuse"] {
                try outbox.take([
                    OutboxDraft(
                        to: "webhook:backend", device: text, type: "test", takenAt: outbox.now, size: 100,
                        body: { ByteBuffer(string: "{\"a\":\"\(text)\"}") })
                ])
            }
            #expect(
                try await stage.value("castway_bridge_attempts_total{bridge=webhook:backend,result=delivered}") == 1)
            #expect(try await stage.value("castway_bridge_given_up_total{bridge=webhook:backend}") == 1)
            let series = try await stage.series()
            #expect(series["castway_bridge_attempts_total{bridge=webhook:backend,result=refused}"] == .number(2))
            #expect(series["castway_bridge_dead_letters{bridge=webhook:backend}"] == .number(1))
            #expect(series["castway_bridge_waiting_messages{bridge=webhook:backend}"] == .number(0))
            #expect(series["castway_bridge_waiting_bytes{bridge=webhook:backend}"] == .number(0))
            #expect(series["castway_bridge_overflows_total{bridge=webhook:backend}"] == .number(0))
            #expect(series["castway_outbox_volatile{}"] == .number(0))
            guard
                case .histogram(let durations)? = series[
                    "castway_bridge_delivery_duration_seconds{bridge=webhook:backend}"]
            else {
                Issue.record("no durations")
                return
            }
            #expect(durations.count == 1)
            #expect(try await stage.value("castway_outbox_commits_total{}") >= 1)
            #expect(try await stage.value("castway_outbox_size_bytes{}", atLeast: 4096) >= 4096)
        }
    }

    @Test func aBrokerThatIsAwayIsDownThoughNothingWaitsForIt() async throws {
        try await Self.with { stage in
            func broker() async -> JSONObject? {
                guard case .success(let answer) = await stage.call("bridges.list", [:]) else { return nil }
                let bridges = answer.body.array("bridges")?.compactMap(\.objectValue)
                return bridges?.first { $0.string("bridge") == "mqtt" }
            }
            let connected = try await stage.value("castway_mqtt_connected{}")
            #expect(connected == 1)
            #expect(await broker()?.string("state") == "up")
            stage.broker.kill()
            while await broker()?.string("state") == "up", !Task.isCancelled { await Task.yield() }
            let away = await broker()
            #expect(away?.string("state") == "down" && away?.string("reason")?.isEmpty == false)
        }
    }

    /// One code on every way in, and one status.
    @Test func everyWayInSaysTheSame() async throws {
        try await Self.with { stage in
            let peer = try await MQTTPeer(stage.broker)
            let gateway = stage.gateway.configuration.gateway.id
            _ = try await stage.value("castway_mqtt_connected{}")
            try await peer.subscribe("me/answers")
            func overAPI(_ input: JSONObject) async -> String? {
                var input = input
                input["device"] = "hall"
                guard case .failure(let problem) = await stage.call("message.send", input) else { return nil }
                return "\(problem.code) \(problem.status)"
            }
            func overMQTT(_ input: JSONObject) async throws -> String? {
                var input = input
                input["device"] = "hall"
                let topics = MQTTTopics(prefix: "castway", gateway: gateway)
                try await peer.publish(
                    "\(topics.root)/rpc/message.send", JSONValue.object(input).text, ["response": "me/answers"])
                let error = try await peer.next(on: "me/answers").object.object("error")
                return error.map { "\($0.string("code") ?? "") \($0.int("status") ?? 0)" }
            }
            let cases: [(JSONObject, String)] = [
                (["namespace": .string(Self.echo), "json": ["a": 1]], "application_not_running 409"),
                (["namespace": .string(Self.echo), "text": "no json"], "wrong_format 422"),
                (
                    ["namespace": .string(Self.echo), "json": .string(String(repeating: "x", count: 2000))],
                    "message_too_big 413"
                ),
                (
                    [
                        "namespace": "urn:x-cast:com.example.app",
                        "text": .string(String(repeating: "x", count: 66_000)),
                    ],
                    "message_too_big 413"
                ),
                (["namespace": "urn:x-cast:com.google.cast.media", "text": "x"], "reserved_namespace 422"),
            ]
            for (input, expected) in cases {
                #expect(await overAPI(input) == expected)
                #expect(try await overMQTT(input) == expected)
            }
            _ = await stage.call("session.start", ["device": "hall", "app": "ABCD1234"])
            let unlisted: JSONObject = ["namespace": "urn:x-cast:com.example.unlisted", "text": "x"]
            #expect(await overAPI(unlisted) == "unsupported_namespace 409")
            #expect(try await overMQTT(unlisted) == "unsupported_namespace 409")
            for rule in ["absent", "format", "size"] {
                #expect(
                    try await stage.value(
                        "castway_channel_refusals_total{namespace=\(Self.echo),rule=\(rule)}", atLeast: 2) == 2)
            }
            #expect(try await stage.value("castway_mqtt_commands_total{result=failed}", atLeast: 5) == 5)
            #expect(try await stage.value("castway_mqtt_commands_total{result=invalid}") == 1)
        }
    }

    /// The channel of an app on the virtual device is told as any event, and stands in the state.
    @Test func channelsAreInTheState() async throws {
        try await Self.with { stage in
            _ = await stage.call("session.start", ["device": "hall", "app": "ABCD1234"])
            let wakes = Inbox<Void>()
            let topics = EventTopics([.init(type: DevicePattern("channel.connected"), namespace: Self.echo)])
            let feed = try stage.gateway.journal.subscribe(to: topics, from: nil, for: .admin) { wakes.put(()) }
            defer { feed.cancel() }
            stage.gateway.events.channels.note(
                .session(7), device: "wall", app: "ABCD1234", sessionID: "s",
                namespaces: [Namespace(rawValue: Self.echo)], isWritable: true, at: .now())
            var told: JSONObject?
            while told == nil {
                let frames = feed.take(upTo: 64 << 10)
                if frames.isEmpty { _ = await wakes.next() }
                told = frames.compactMap { (try? JSONReader.read($0.bytes))?.objectValue }
                    .first { $0.string("type") == "channel.connected" && $0.string("device") == "wall" }
            }
            #expect(told?.object("data")?.string("namespace") == Self.echo)
            let state = await stage.gateway.journal.state(for: .admin)
            let found = state.object("resources")?.array("app_channel")?.compactMap(\.objectValue) ?? []
            #expect(found.contains { $0.string("device") == "wall" })
        }
    }
}
