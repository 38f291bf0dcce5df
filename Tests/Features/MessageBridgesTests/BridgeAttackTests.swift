import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayOperations
import GatewayTesting
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import MessageBridges

/// What senders, back ends and publishers may try at bridges; the table is in Docs/api-security.md.
@Suite(.timeLimit(.minutes(1))) struct BridgeAttackTests {
    /// Names that would be more than a value if they got anywhere unescaped.
    private static let names = [
        "hall\r\nx-injected: 1", "a/+/#", "\0", "\"},\"type\":\"x", "%2F", "$SYS", String(repeating: "x", count: 4000),
    ]

    private static func message(namespace: String, device: String, source: String = "s") -> RoutedMessage {
        RoutedMessage(
            .test("{\"a\":1}", in: Namespace(rawValue: namespace), from: EndpointID(rawValue: source), to: "web-1"),
            direction: .toReceiver, device: .test(name: device), connection: ConnectionID(rawValue: 1))
    }

    /// The head of a request says nothing that a sender or a device can choose.
    @Test func headersHoldNothingThatPeersSay() async throws {
        let backEnd = try await ScriptedBackEnd { _, answer in answer.send(200) }
        let bench = try WebhookBench("http://127.0.0.1:\(backEnd.port)/") { $0.allowsPlaintext = true }
        for name in Self.names {
            let body = BridgedEvent.body(of: Self.message(namespace: name, device: name, source: name), at: 0)
            let message = OutboxMessage(
                sequence: 1, id: OutboxID.random.text, destination: "webhook:backend", device: name, type: name,
                takenAt: 0, address: name, body: body)
            let outcome = await withCheckedContinuation { continuation in
                bench.carrier.carry(message) { continuation.resume(returning: $0) }
            }
            #expect(outcome == .delivered)
            let request = try #require(await backEnd.requests.next())
            let known: Set<String> = [
                "host", "content-type", "content-length", "user-agent", "webhook-id", "webhook-timestamp",
                "webhook-signature", "connection", "accept", "accept-encoding",
            ]
            #expect(Set(request.head.headers.map { $0.name.lowercased() }).subtracting(known) == [])
            #expect(request.head.uri == "/")
            let json = try JSONReader.read(request.body).objectValue
            #expect(json?.string("device") == name && json?.string("type") == "channel.message")
            #expect(json?.object("data")?.string("namespace") == name)
        }
    }

    @Test(arguments: Self.names) func aNameIsOneLevelOfATopic(_ name: String) {
        let topics = MQTTTopics(prefix: "castway", gateway: "gw1")
        let all = [
            topics.received(namespace: name, device: name), topics.event(device: name), topics.device(name, .state),
        ]
        for topic in all {
            #expect(topic.hasPrefix("castway/gw1/device/"))
            #expect(!topic.unicodeScalars.contains { "+#".unicodeScalars.contains($0) || $0.value < 0x20 })
        }
        #expect(all[0].split(separator: "/", omittingEmptySubsequences: false).count == 7)
        #expect(all[1].split(separator: "/", omittingEmptySubsequences: false).count == 5)
    }

    /// A broker would refuse it again and again, and what waits behind it with it.
    @Test func aNamespaceThatIsTooLongForATopicIsNotTaken() throws {
        let log = LogRecorder()
        let events = EventBus()
        let outbox = Outbox(path: nil, events: events, logger: log.logger("Outbox"))
        let bridges = Bridges(
            outbox: outbox, source: EventJournal(events: events, logger: log.logger("Journal")),
            gateway: MQTTBridge.Gateway(id: "gw1", name: "Castway", version: "1"),
            group: MultiThreadedEventLoopGroup.singleton, logger: log.logger("Bridges"))
        var configuration = BridgesConfiguration()
        configuration.mqtt = MQTTConfiguration(url: "mqtt://127.0.0.1:9")
        bridges.commit(try bridges.prepare(configuration))
        func deliver(_ length: Int) -> Bool {
            let namespace = "urn:x-cast:" + String(repeating: "+", count: length)
            return bridges.deliver(Self.message(namespace: namespace, device: "hall"), webhooks: [], isPublished: true)
        }
        #expect(deliver(20))
        #expect(!deliver(1000))
        #expect(outbox.standings["mqtt"]?.waiting == 1)
        bridges.close()
    }

    @Test func commandsThatAreDeepOrHugeAreRefused() throws {
        let topics = MQTTTopics(prefix: "castway", gateway: "gw1")
        func problem(_ topic: String, _ payload: ByteBuffer?) -> String? {
            do throws(MQTTCommand.Refusal) {
                _ = try MQTTCommand(
                    MQTTInbound(topic: "castway/gw1/\(topic)", payload: payload), topics: topics, reservedPrefixes: [],
                    reference: { $0 })
                return nil
            } catch {
                return error.problem.code
            }
        }
        let deep = ByteBuffer(string: String(repeating: "{\"a\":", count: 10_000))
        for topic in ["rpc/media.pause", "device/hall/set", "device/hall/msg/tx/com.example.chat"] {
            #expect(problem(topic, deep) == "bad_request")
            #expect(problem(topic, nil) == (topic.contains("msg") ? "message_too_big" : "body_too_large"))
        }
    }

    /// The device of a topic is the device, whatever the payload says: the broker's rights hang on topics.
    @Test(arguments: [
        #"{"device":"attic","level":1}"#, #"{"device":"attic","device":"cellar"}"#, #"{"\u0064evice":"attic"}"#,
    ])
    func theDeviceOfATopicCannotBeReplaced(payload: String) throws {
        let topics = MQTTTopics(prefix: "castway", gateway: "gw1")
        let command = try MQTTCommand(
            MQTTInbound(topic: "castway/gw1/device/hall/cmd/pause", payload: ByteBuffer(string: payload)),
            topics: topics, reservedPrefixes: [], reference: { $0 })
        #expect(command.input.members.filter { $0.name == "device" }.map(\.value) == [.string("hall")])
    }
}
