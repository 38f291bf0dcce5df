import BuiltInReceiver
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import NIOCore
import NamespaceHandlers
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings
@testable import MessageBridges

/// Hears messages of a namespace, and decides about them.
final class AppEar: MessageHandler {
    let name: String
    let claims: [Claim]
    let heard = Inbox<RoutedMessage>()
    private let verdict: @Sendable (RoutedMessage) -> Verdict

    init(
        _ name: String, _ claims: [Claim], verdict: @escaping @Sendable (RoutedMessage) -> Verdict = { _ in .pass }
    ) {
        self.name = name
        self.claims = claims
        self.verdict = verdict
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        self.heard.put(message)
        return self.verdict(message)
    }
}

/// A gateway with a session with the wall, which is the hall of another gateway; `foyer` relays to it.
struct OwnSessionStage {
    static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    static let echo: Namespace = "urn:x-cast:com.example.echo"
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    let near: Gateway
    let far: Gateway
    /// What reaches the app of the wall.
    let app: AppEar
    let backEnd: ScriptedBackEnd
    let broker: Broker

    var topics: MQTTTopics { MQTTTopics(prefix: "castway", gateway: self.near.configuration.gateway.id) }

    @discardableResult
    func call(_ name: OperationName, _ input: JSONObject) async throws -> JSONObject {
        try await self.near.operations.call(name, input, for: .admin).get().body
    }

    /// The app says something to all that are connected to it.
    func say(_ json: JSONObject, in namespace: Namespace = OwnSessionStage.quiz) async throws {
        _ = try await self.far.operations.call(
            "message.broadcast",
            ["device": "hall", "namespace": .string(namespace.rawValue), "json": .object(json)], for: .admin
        ).get()
    }

    /// Asks the app something that it echoes. What it said before has come by then.
    func ask(_ device: String = "wall", _ json: JSONObject = ["type": "HELLO"]) async throws -> JSONObject? {
        try await self.call(
            "message.send",
            [
                "device": .string(device), "namespace": .string(OwnSessionStage.echo.rawValue),
                "json": .object(json), "answer_within": 20,
            ]
        ).object("answer")
    }

    /// The next message to the app that is of a type.
    func heard(_ type: String) async -> RoutedMessage? {
        await self.app.heard.next { $0.summary.type == type ? $0 : nil }
    }

    static func with(
        channels: [ChannelConfiguration] = [], rules: [RoutingRule] = [], handlers: [any MessageHandler] = [],
        events: [String] = [], _ body: (OwnSessionStage) async throws -> Void
    ) async throws {
        let backEnd = try await ScriptedBackEnd { request, answer in
            let isQuestion = String(buffer: request.body).contains("\"ASK\"")
            answer.send(
                200, "content-type: application/json\r\n", body: isQuestion ? #"{"type":"ANSWER","value":42}"# : "")
        }
        let broker = try await Broker()
        var far = GatewayConfiguration.hallAndOffice
        far.virtualDevices[0].apps = [
            VirtualAppConfiguration(id: "ABCD1234") { $0.namespaces = [Self.echo.rawValue, Self.quiz.rawValue] }
        ]
        try await RunningGateway.with(far) { hall in
            let app = AppEar("ear", [Claim(.exact(Self.quiz), phase: .observe)])
            try hall.gateway.registry.register(app)
            var configuration = GatewayConfiguration {
                $0.virtualDevices = [
                    VirtualDeviceConfiguration(
                        name: "foyer", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("wall"))
                ]
            }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
            ]
            configuration.shutdown.drain = .zero
            configuration.channels = channels
            configuration.routing.rules = rules
            configuration.bridges.webhooks = [
                WebhookConfiguration(
                    name: "backend", url: "http://127.0.0.1:\(backEnd.port)/", secret: Secret(Self.secret)
                ) {
                    $0.allowsPrivate = true
                    $0.allowsPlaintext = true
                    $0.events = events
                }
            ]
            configuration.bridges.mqtt = MQTTConfiguration(url: "mqtt://127.0.0.1:\(broker.port)") {
                $0.responseTopics = ["me/answers"]
                $0.scopes = [.read, .control, .messages]
                $0.events = events
            }
            try await RunningGateway.with(configuration) { near in
                for handler in handlers { try near.gateway.registry.register(handler) }
                let stage = OwnSessionStage(
                    near: near.gateway, far: hall.gateway, app: app, backEnd: backEnd, broker: broker)
                try await body(stage)
            }
        }
    }

    func begin() async throws {
        try await self.call("session.start", ["device": "wall", "app": "ABCD1234"])
    }
}
