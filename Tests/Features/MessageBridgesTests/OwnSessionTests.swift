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

/// The gateway's own session with a real device, whose app speaks to it: rules, handlers, back ends, the broker and readers of events
/// see that when they say so, and answer.
@Suite(.serialized, .timeLimit(.minutes(3))) struct OwnSessionTests {
    private static let quiz = OwnSessionStage.quiz
    private static let echo = OwnSessionStage.echo

    // MARK: Back ends

    @Test func theBackEndAnswersWhatTheAppAsks() async throws {
        let channel = ChannelConfiguration(namespace: Self.quiz.rawValue) {
            $0.legs = [.own]
            $0.reply = ChannelReply(webhook: "backend")
        }
        try await OwnSessionStage.with(channels: [channel]) { stage in
            try await stage.begin()
            try await stage.say(["type": "ASK", "requestId": 7])
            let request = try #require(await stage.backEnd.requests.next())
            let body = try #require(try JSONReader.read(request.body).objectValue)
            #expect(body.string("type") == "channel.message" && body.string("device") == "wall")
            let data = try #require(body.object("data"))
            #expect(data.string("via") == "own" && data.string("direction") == "to_sender")
            #expect(data.string("app") == "ABCD1234" && data.object("json")?.string("type") == "ASK")
            let answer = await stage.heard("ANSWER")?.message.payload.jsonObject
            #expect(answer?.int("value") == 42 && answer?.int("requestId") == 7)
        }
    }

    @Test func theBrokerGetsWhatTheAppSaysAndSpeaksToIt() async throws {
        let channel = ChannelConfiguration(namespace: Self.quiz.rawValue) {
            $0.legs = [.own]
            $0.deliver = [ChannelDelivery(webhook: "backend"), ChannelDelivery(mqtt: true)]
            $0.accept = [.mqtt]
        }
        try await OwnSessionStage.with(channels: [channel]) { stage in
            let peer = try await MQTTPeer(stage.broker)
            let received = stage.topics.received(namespace: Self.quiz.rawValue, device: "wall")
            try await peer.subscribe(received)
            try await stage.begin()
            try await stage.say(["type": "NEWS"])
            let message = try await peer.next(on: received).object
            #expect(message.string("via") == "own" && message.object("payload")?.string("type") == "NEWS")
            let request = try #require(await stage.backEnd.requests.next())
            #expect(String(buffer: request.body).contains("\"via\":\"own\""))
            let sent = received.replacing("/msg/rx/", with: "/msg/tx/")
            try await peer.publish(sent, #"{"payload":{"type":"FROM_BROKER"}}"#)
            #expect(await stage.heard("FROM_BROKER") != nil)
            // The channel of the leg takes nothing by another way.
            let refused = await stage.near.operations.call(
                "message.send",
                ["device": "wall", "namespace": .string(Self.quiz.rawValue), "text": "x"], for: .admin)
            guard case .failure(let problem) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(problem.code == "not_accepted")
        }
    }

    // MARK: Handlers and rules

    @Test func handlersOfTheLegAloneAreAsked() async throws {
        let both = Set(MessageDirection.allCases)
        let senders = AppEar(
            "senders", [Claim(.exact(Self.echo), directions: both), Claim(.exact(Self.quiz), directions: both)])
        let own = AppEar("own", [Claim(.exact(Self.quiz), directions: both, leg: .own)]) { message in
            message.summary.type == "ASK" ? .reply(["type": "ANSWER", "requestId": 7]) : .pass
        }
        try await OwnSessionStage.with(handlers: [senders, own]) { stage in
            try await stage.begin()
            try await stage.say(["type": "ASK", "requestId": 7])
            let asked = try #require(await own.heard.next())
            #expect(asked.leg == .own && asked.device.name == "wall" && asked.direction == .toSender)
            #expect(asked.session?.appID == "ABCD1234" && asked.origin == nil && asked.senderAddress == nil)
            #expect(await stage.heard("ANSWER")?.message.payload.jsonObject?.int("requestId") == 7)
            // What a caller says to the app passes the leg, too.
            try await stage.call(
                "message.send",
                ["device": "wall", "namespace": .string(Self.quiz.rawValue), "json": ["type": "TOLD"]])
            let told = try #require(await own.heard.next { $0.summary.type == "TOLD" ? $0 : nil })
            #expect(told.direction == .toReceiver && told.origin?.source == .api)
            #expect(await stage.heard("TOLD") != nil)
            // A sender of the virtual device meets the other handler, and that one alone.
            #expect(try await stage.ask("foyer") != nil)
            let relayed = try #require(await senders.heard.next())
            #expect(relayed.leg == .sender && relayed.device.name == "foyer")
        }
    }

    @Test func rulesAreForTheLegThatTheyName() async throws {
        let echo = [NamespacePattern.exact(Self.echo)]
        let rules = [
            RoutingRule(name: "no-senders", condition: RoutingCondition(namespace: echo), action: .reject),
            RoutingRule(
                name: "no-broker", condition: RoutingCondition(namespace: echo, from: [.mqtt], leg: [.own]),
                action: .reject),
            RoutingRule(
                name: "no-rude-words", condition: RoutingCondition(namespace: echo, type: [Glob("RUDE")], leg: [.own]),
                action: .reject),
        ]
        try await OwnSessionStage.with(rules: rules) { stage in
            let peer = try await MQTTPeer(stage.broker)
            try await peer.subscribe("me/answers")
            try await stage.begin()
            #expect(try await stage.ask()?.string("type") == "HELLO")
            #expect(try await stage.ask("wall", ["type": "RUDE"])?.string("reason") == "NOT_ALLOWED")
            #expect(try await stage.ask("foyer")?.string("reason") == "NOT_ALLOWED")
            let call: JSONObject = [
                "device": "wall", "namespace": .string(Self.echo.rawValue), "json": ["type": "HELLO"],
                "answer_within": 20,
            ]
            try await peer.publish(
                "\(stage.topics.root)/rpc/message.send", JSONValue.object(call).text, ["response": "me/answers"])
            let answer = try await peer.next(on: "me/answers").object
            #expect(answer.object("result")?.object("answer")?.string("reason") == "NOT_ALLOWED", "\(answer)")
        }
    }

    /// Media commands of callers are judged, and what the session asks by itself is not; relays go on as before.
    @Test func mediaCommandsOfCallersAreJudged() async throws {
        let rule = RoutingRule(
            name: "no-pause", condition: RoutingCondition(type: [Glob("PAUSE"), Glob("GET_STATUS")], leg: [.own]),
            action: .reject)
        try await RunningGateway.with(.hallAndOffice) { hall in
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
            ]
            configuration.routing.rules = [rule]
            try await RunningGateway.with(configuration) { near in
                let operations = near.gateway.operations
                _ = try await operations.call("session.start", ["device": "wall", "app": "CC1AD845"], for: .admin).get()
                let load: JSONObject = [
                    "device": "wall", "url": "http://192.0.2.1/a.mp4", "content_type": "video/mp4", "duration": 600,
                ]
                _ = try await operations.call("media.load", load, for: .admin).get()
                guard case .failure(let problem) = await operations.call("media.pause", ["device": "wall"], for: .admin)
                else {
                    Issue.record("the pause was not refused")
                    return
                }
                #expect(problem.detail.contains("NOT_ALLOWED") || problem.code == "not_allowed", "\(problem)")
                let status = try await operations.call("media.status", ["device": "wall"], for: .admin).get().body
                #expect(status.string("player_state") == "playing")
            }
        }
    }
}
