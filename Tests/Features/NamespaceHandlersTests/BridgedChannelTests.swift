import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import Synchronization
import Testing

@testable import NamespaceHandlers

/// Channels whose messages leave the gateway.
@Suite struct BridgedChannelTests {
    /// Takes note of what it gets.
    private final class Bridge: ChannelBridge {
        struct State {
            var delivered: [(text: String?, places: [ChannelDelivery])] = []
            var questions: [@Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void] = []
        }

        let refusals = ChannelRefusals()
        let state = Mutex(State())
        private let takes: Bool

        init(takes: Bool = true) { self.takes = takes }

        func deliver(_ message: RoutedMessage, to places: [ChannelDelivery]) -> Bool {
            self.state.withLock { $0.delivered.append((message.message.payload.text, places)) }
            return self.takes
        }

        func ask(
            _ message: RoutedMessage, _ reply: ChannelReply,
            completion: @escaping @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void
        ) {
            self.state.withLock { $0.questions.append(completion) }
        }

        func refused(by rule: ChannelRule, in namespace: String) { self.refusals.count(rule, in: namespace) }

        func answer(_ result: Result<CastMessage.Payload?, GatewayError>) {
            self.state.withLock { $0.questions.removeFirst() }(result)
        }

        var texts: [String?] { self.state.withLock { $0.delivered.map(\.text) } }
    }

    private static let namespace: Namespace = "urn:x-cast:com.example.chat"
    private static let places = [ChannelDelivery(webhook: "backend"), ChannelDelivery(mqtt: true)]

    private func bench(
        _ bridge: Bridge, _ change: (inout ChannelConfiguration) -> Void
    ) throws -> RouterBench {
        try RouterBench.builtIn(
            channels: [ChannelConfiguration(namespace: Self.namespace.rawValue, change)], bridge: bridge)
    }

    @Test func aMessageIsDeliveredAndReachesTheApp() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) { $0.deliver = Self.places }
        #expect(bench.outcome("hello", in: Self.namespace, to: "web-1") == .forwarded("hello"))
        #expect(bridge.texts == ["hello"])
        #expect(bridge.state.withLock { $0.delivered.first?.places } == Self.places)
    }

    @Test func withoutForwardTheAppDoesNotGetIt() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) {
            $0.deliver = Self.places
            $0.forward = false
        }
        #expect(bench.outcome("hello", in: Self.namespace, to: "web-1") == .swallowed)
        #expect(bridge.texts == ["hello"])
    }

    /// Otherwise it would be lost, and its sender would not know.
    @Test func whatIsNotTakenIsRefusedWhereTheAppDoesNotGetIt() throws {
        let bench = try self.bench(Bridge(takes: false)) {
            $0.deliver = Self.places
            $0.forward = false
        }
        let outcome = bench.outcome(#"{"requestId":3}"#, in: Self.namespace, to: "web-1")
        #expect(outcome.answerJSON?.string("reason") == "SEND_BUFFER_FULL")
        let forwarding = try self.bench(Bridge(takes: false)) { $0.deliver = Self.places }
        #expect(forwarding.outcome("hello", in: Self.namespace, to: "web-1") == .forwarded("hello"))
    }

    @Test(arguments: ChannelConfiguration.Direction.allCases)
    func theDirectionSaysWhoseMessagesAreDelivered(direction: ChannelConfiguration.Direction) throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) {
            $0.deliver = Self.places
            $0.direction = direction
        }
        #expect(bench.outcome("from a sender", in: Self.namespace, to: "web-1") == .forwarded("from a sender"))
        let back = bench.outcome(
            "from the app", in: Self.namespace, from: "web-1", to: "sender-7", direction: .toSender)
        #expect(back == .forwarded("from the app"))
        let expected =
            switch direction {
            case .fromSenders: ["from a sender"]
            case .fromApp: ["from the app"]
            case .both: ["from a sender", "from the app"]
            }
        #expect(bridge.texts == expected)
    }

    @Test(arguments: [
        (ChannelConfiguration.Format.json, "no json", "INVALID_PARAMS"), (.binary, "text", "INVALID_PARAMS"),
        (nil, String(repeating: "x", count: 101), "MESSAGE_TOO_BIG"),
    ])
    func whatDoesNotFitIsRefused(format: ChannelConfiguration.Format?, text: String, reason: String) throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) {
            $0.deliver = Self.places
            $0.format = format
            $0.limits.size = 100
        }
        #expect(bench.outcome(text, in: Self.namespace, to: "web-1") == .swallowed)
        #expect(bridge.texts == [])
        #expect(bench.router.counts.rejected == [reason: 1])
    }

    @Test func whoSendsTooFastIsRefused() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) {
            $0.deliver = Self.places
            $0.limits.perSecond = 2
        }
        for _ in 0..<2 { #expect(bench.outcome("x", in: Self.namespace, to: "web-1") == .forwarded("x")) }
        #expect(bench.outcome("x", in: Self.namespace, to: "web-1") == .swallowed)
        #expect(bench.router.counts.rejected == ["TOO_MANY_REQUESTS": 1])
        #expect(bridge.texts.count == 2)
    }

    @Test func theAnswerOfTheBackEndIsTheReplyWithTheIDOfTheRequest() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) { $0.reply = ChannelReply(webhook: "backend") }
        #expect(bench.outcome(#"{"requestId":9,"q":1}"#, in: Self.namespace, to: "web-1") == .swallowed)
        bridge.answer(.success(.text(#"{"a":2}"#)))
        let answer = bench.output.toSenders.first?.payload.jsonObject
        #expect(answer == ["requestId": 9, "a": 2])
    }

    /// Why is for the log: it may name addresses of the operator's network.
    @Test func aBackEndWithoutAnswerIsSaidWithoutItsReason() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) { $0.reply = ChannelReply(webhook: "backend") }
        _ = bench.outcome(#"{"requestId":9}"#, in: Self.namespace, to: "web-1")
        bridge.answer(.failure(GatewayError(.handlerFailed, "10.0.0.7: refused")))
        let answer = bench.output.toSenders.first?.payload.jsonObject
        #expect(answer?.string("reason") == "APP_ERROR")
        #expect(answer?.string("message") == "the back end has no answer")
    }

    @Test func aBackEndThatMayFailLetsTheMessagePass() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) { $0.reply = ChannelReply(webhook: "backend", onFailure: .open) }
        _ = bench.outcome("hello", in: Self.namespace, to: "web-1")
        bridge.answer(.failure(GatewayError(.handlerFailed, "late")))
        #expect(bench.output.forwarded.map(\.payload.text) == ["hello"])
    }

    /// The question is the delivery.
    @Test func theSameWebhookGetsOneRequest() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) {
            $0.deliver = Self.places
            $0.reply = ChannelReply(webhook: "backend")
        }
        _ = bench.outcome("hello", in: Self.namespace, to: "web-1")
        #expect(bridge.state.withLock { $0.delivered.map(\.places) } == [[ChannelDelivery(mqtt: true)]])
    }

    /// A back end does not hear itself.
    @Test func whatComesFromOutsideOfCastIsNotDelivered() throws {
        let bridge = Bridge()
        let bench = try self.bench(bridge) { $0.deliver = Self.places }
        bench.router.route(
            RoutedMessage(
                .test("hello", in: Self.namespace, from: "door-api", to: "web-1"), direction: .toReceiver,
                device: bench.device, connection: ConnectionID(rawValue: 2), origin: MessageOrigin("api-backend")))
        #expect(bridge.texts == [])
        #expect(bench.output.forwarded.map(\.payload.text) == ["hello"])
    }

    // MARK: From outside

    @Test func entrancesJudgeWhatCallersSend() throws {
        let channel = ChannelConfiguration(namespace: "urn:x-cast:com.example.*", devices: [Glob("room-*")]) {
            $0.accept = [.mqtt]
            $0.format = .json
            $0.limits.size = 10
            $0.limits.perSecond = 1
            $0.whenAbsent = .keep(.seconds(60), atMost: 5)
        }
        let entrances = ChannelEntrances([channel], devices: ["room-1", "hall"])
        func admit(
            _ text: String, _ device: String = "room-1", _ way: ChannelConfiguration.Entrance = .mqtt
        ) throws -> ChannelAbsence {
            try entrances.admit(.text(text), in: "urn:x-cast:com.example.a", to: device, by: way, caller: "c")
        }
        #expect(throws: ChannelEntrances.Refusal.notAccepted) { try admit("{}", "room-1", .api) }
        #expect(throws: ChannelEntrances.Refusal.unfit(.tooBig(10))) { try admit(#"{"a":12345}"#) }
        #expect(throws: ChannelEntrances.Refusal.unfit(.wrongFormat(.json))) { try admit("x") }
        let absence = try admit("{}")
        #expect(absence == .keep(.seconds(60), atMost: 5))
        #expect(throws: ChannelEntrances.Refusal.unfit(.tooMany(1))) { try admit("{}") }
        // A device that the channel does not name.
        let other = try admit("anything at all", "hall", .api)
        #expect(other == .drop)
    }
}
