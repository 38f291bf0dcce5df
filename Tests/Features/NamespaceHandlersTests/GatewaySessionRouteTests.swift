import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import Synchronization
import Testing

@testable import NamespaceHandlers

/// Rules and channels of the gateway's own sessions, and those of senders beside them.
@Suite struct GatewaySessionRouteTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private static let app = SessionFacts(
        appID: "ABCD1234", sessionID: "s", transportID: "web-1", displayName: "Quiz",
        namespaces: [GatewaySessionRouteTests.quiz])

    private static func rule(
        _ action: RoutingRule.Action = .reject, _ change: (inout RoutingCondition) -> Void
    ) -> RoutingRule {
        var condition = RoutingCondition(namespace: [.exact(Self.quiz)])
        change(&condition)
        return RoutingRule(name: "r", condition: condition, action: action)
    }

    /// Whether a message goes on.
    private static func passes(
        _ rules: [RoutingRule], _ leg: MessageLeg, from origin: MessageOrigin? = nil,
        _ direction: MessageDirection = .toReceiver, device: String = "wall"
    ) throws -> Bool {
        let bench = try RouterBench.builtIn(rules: rules, device: .test(name: device, leg: leg))
        bench.output.sessions["web-1"] = Self.app
        let ends: (EndpointID, EndpointID) = direction == .toReceiver ? ("sender-0", "web-1") : ("web-1", "sender-0")
        bench.router.route(
            RoutedMessage(
                .test(#"{"type":"ASK"}"#, in: Self.quiz, from: ends.0, to: ends.1), direction: direction,
                device: bench.device, connection: leg == .sender && origin == nil ? ConnectionID(rawValue: 1) : nil,
                senderAddress: leg == .sender && origin == nil ? "192.0.2.7" : nil, origin: origin))
        return !bench.output.forwarded.isEmpty
    }

    @Test func aRuleIsForSendersUnlessItSaysOtherwise() throws {
        let sender = [Self.rule { _ in }]
        let own = [Self.rule { $0.leg = [.own] }]
        let both = [Self.rule { $0.leg = [.sender, .own] }]
        for (rules, refuses) in [(sender, [MessageLeg.sender]), (own, [.own]), (both, [.sender, .own])] {
            for leg in MessageLeg.allCases {
                #expect(try Self.passes(rules, leg) != refuses.contains(leg))
            }
        }
        // What an app says to the gateway's own session is judged, what a device says to senders is not.
        #expect(try !Self.passes(both, .own, .toSender))
        #expect(try Self.passes(both, .sender, .toSender))
    }

    /// A virtual and a real device may have one name; a rule is about one of them.
    @Test func devicesAreThoseOfTheLeg() throws {
        let rules = [Self.rule { ($0.leg, $0.device) = ([.own], [Glob("wa*")]) }]
        #expect(try !Self.passes(rules, .own, device: "wall"))
        #expect(try Self.passes(rules, .own, device: "hall"))
        #expect(try Self.passes(rules, .sender, device: "wall"))
    }

    @Test func whoSpeaksIsTold() throws {
        let origins: [(String, MessageOrigin?)] = [
            ("api", MessageOrigin("api-panel", from: .api)), ("mqtt", MessageOrigin("api-mqtt", from: .mqtt)),
            ("plugin:quiz", MessageOrigin("quiz")), ("own", nil), ("own", MessageOrigin("gateway", from: .own)),
        ]
        for word in ["sender", "api", "mqtt", "plugin:quiz", "plugin:*", "own"] {
            let source = try #require(MessageSource(word))
            #expect(source.description == word)
            let rules = [Self.rule { ($0.leg, $0.from) = ([.own], [source]) }]
            let others = [Self.rule { ($0.leg, $0.notFrom) = ([.own], [source]) }]
            for (name, origin) in origins {
                let isMeant = name == word || word == "plugin:*" && name == "plugin:quiz"
                #expect(try Self.passes(rules, .own, from: origin) != isMeant, "\(word) \(name)")
                #expect(try Self.passes(others, .own, from: origin) == isMeant, "not \(word) \(name)")
            }
        }
        // Callers are no plugins on virtual devices either, and senders are none of them.
        let plugins = [Self.rule { $0.from = [.plugin(Glob("*"))] }]
        #expect(try Self.passes(plugins, .sender, from: MessageOrigin("api-panel", from: .api)))
        #expect(try !Self.passes(plugins, .sender, from: MessageOrigin("quiz")))
        let callers = [Self.rule { $0.from = [.api, .mqtt] }]
        #expect(try !Self.passes(callers, .sender, from: MessageOrigin("api-panel", from: .api)))
        #expect(try !Self.passes(callers, .sender, from: MessageOrigin("api-mqtt", from: .mqtt)))
        #expect(try Self.passes(callers, .sender))
        #expect(try !Self.passes([Self.rule { $0.from = [.sender] }], .sender))
    }

    /// A condition on the address matches nothing where there is none, negated or not.
    @Test func anAddressIsWantedWhereThereIsNone() throws {
        let range = try #require(AddressRange("0.0.0.0/0"))
        let away = try #require(AddressRange("198.51.100.0/24"))
        let conditions: [(inout RoutingCondition) -> Void] = [{ $0.sender = [range] }, { $0.notSender = [away] }]
        for condition in conditions {
            for origin in [nil, MessageOrigin("api-panel", from: .api), MessageOrigin("quiz")] {
                let rules = [
                    Self.rule {
                        $0.leg = [.sender, .own]
                        condition(&$0)
                    }
                ]
                #expect(try Self.passes(rules, .own, from: origin))
                #expect(try Self.passes(rules, .sender, from: origin) == (origin != nil))
            }
        }
    }

    // MARK: Channels

    private final class Bridge: ChannelBridge {
        let delivered = Mutex<[[ChannelDelivery]]>([])
        let questions = Mutex<[@Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void]>([])
        let refusals = ChannelRefusals()

        func deliver(_ message: RoutedMessage, to places: [ChannelDelivery]) -> Bool {
            self.delivered.withLock { $0.append(places) }
            return true
        }

        func ask(
            _ message: RoutedMessage, _ reply: ChannelReply,
            completion: @escaping @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void
        ) {
            self.questions.withLock { $0.append(completion) }
        }

        func refused(by rule: ChannelRule, in namespace: String) { self.refusals.count(rule, in: namespace) }
    }

    private static func bench(
        _ bridge: Bridge, _ leg: MessageLeg = .own, device: String = "wall",
        _ change: (inout ChannelConfiguration) -> Void
    ) throws -> RouterBench {
        try RouterBench.builtIn(
            channels: [ChannelConfiguration(namespace: Self.quiz.rawValue, change)], bridge: bridge,
            device: .test(name: device, leg: leg))
    }

    /// The app says something to the gateway's own session.
    private static func say(_ text: String, on bench: RouterBench, answering origin: MessageOrigin? = nil) {
        bench.router.route(
            RoutedMessage(
                .test(text, in: Self.quiz, from: "web-1", to: "sender-0"), direction: .toSender, device: bench.device,
                connection: nil, origin: origin))
    }

    @Test func whatTheAppSaysIsDelivered() throws {
        let bridge = Bridge()
        let places = [ChannelDelivery(webhook: "backend"), ChannelDelivery(mqtt: true)]
        let bench = try Self.bench(bridge) { ($0.legs, $0.deliver) = ([.own], places) }
        Self.say("hello", on: bench)
        #expect(bridge.delivered.withLock { $0 } == [places])
        // The session has it too, and what a caller waits for is the caller's alone.
        Self.say("answer", on: bench, answering: MessageOrigin("api-panel", from: .api))
        #expect(bench.output.forwardedTexts == ["hello", "answer"])
        #expect(bridge.delivered.withLock { $0.count } == 1)
        // What is said to the app is no news for a back end.
        bench.route("to the app", in: Self.quiz, connection: nil)
        #expect(bridge.delivered.withLock { $0.count } == 1)
        // Senders have nothing to do with it.
        let senders = try Self.bench(bridge, .sender) { ($0.legs, $0.deliver) = ([.own], places) }
        for direction in MessageDirection.allCases {
            senders.route("x", in: Self.quiz, from: "sender-7", to: "web-1", direction: direction)
        }
        #expect(bridge.delivered.withLock { $0.count } == 1)
    }

    @Test func aChannelOfSendersDoesNotSeeOwnSessions() throws {
        let bridge = Bridge()
        let bench = try Self.bench(bridge) {
            $0.direction = .both
            $0.deliver = [ChannelDelivery(mqtt: true)]
            $0.format = .json
        }
        Self.say("no json", on: bench)
        bench.route("no json", in: Self.quiz, connection: nil)
        #expect(bench.output.forwardedTexts == ["no json", "no json"])
        #expect(bridge.delivered.withLock { $0.isEmpty })
    }

    @Test func theBackEndAnswersTheApp() throws {
        let bridge = Bridge()
        let bench = try Self.bench(bridge) {
            $0.legs = [.sender, .own]
            $0.deliver = [ChannelDelivery(webhook: "backend"), ChannelDelivery(mqtt: true)]
            $0.reply = ChannelReply(webhook: "backend")
        }
        Self.say(#"{"type":"ASK","requestId":7}"#, on: bench)
        // The question is the delivery to the same webhook.
        #expect(bridge.delivered.withLock { $0 } == [[ChannelDelivery(mqtt: true)]])
        let answer = bridge.questions.withLock { $0.removeFirst() }
        answer(.success(.text(#"{"type":"ANSWER"}"#)))
        guard
            case .toReceiver(let told, nil)? = bench.output.steps.first(where: {
                if case .toReceiver = $0 { true } else { false }
            })
        else {
            Issue.record("\(bench.output.steps)")
            return
        }
        #expect(told.destination == "web-1" && told.payload.jsonObject?.int("requestId") == 7)
        // A back end without an answer leaves the message to the session.
        Self.say("first", on: bench)
        bridge.questions.withLock { $0.removeFirst() }(.success(nil))
        #expect(bench.output.forwardedTexts == ["first"])
        // One that fails is told to an app that asked.
        Self.say(#"{"type":"ASK","requestId":8}"#, on: bench)
        bridge.questions.withLock { $0.removeFirst() }(.failure(GatewayError(.handlerFailed, "late")))
        let refused = bench.output.steps.compactMap { step -> CastMessage? in
            if case .toReceiver(let message, _) = step { message } else { nil }
        }.last
        #expect(refused?.payload.jsonObject?.string("reason") == "APP_ERROR")
    }

    @Test func limitsOfAChannelKeepCopiesBack() throws {
        let bridge = Bridge()
        let bench = try Self.bench(bridge) {
            $0.legs = [.own]
            $0.deliver = [ChannelDelivery(mqtt: true)]
            $0.format = .json
            $0.limits.perSecond = 1
        }
        for text in ["no json", "{}", "{}"] { Self.say(text, on: bench) }
        #expect(bench.output.forwardedTexts == ["no json", "{}", "{}"])
        #expect(bridge.delivered.withLock { $0.count } == 1)
        #expect(Set(bridge.refusals.counts.keys.map(\.rule)) == [.format, .rate])
    }

    @Test func theDevicesOfAChannelAreRealOnItsOwnLeg() throws {
        let bridge = Bridge()
        for (device, isMeant) in [("wall-1", true), ("hall", false)] {
            let bench = try Self.bench(bridge, device: device) {
                $0.legs = [.own]
                $0.devices = [Glob("wall-*")]
                $0.deliver = [ChannelDelivery(mqtt: true)]
            }
            bridge.delivered.withLock { $0 = [] }
            Self.say("x", on: bench)
            #expect(bridge.delivered.withLock { $0.count } == (isMeant ? 1 : 0))
        }
    }

    /// A channel of the leg decides what callers may send to a real device; without one that of senders does.
    @Test func entrancesAreOfALeg() throws {
        let senders = ChannelConfiguration(namespace: Self.quiz.rawValue) { $0.accept = [.mqtt] }
        let own = ChannelConfiguration(namespace: Self.quiz.rawValue) {
            $0.legs = [.own]
            $0.accept = [.api]
        }
        func admits(_ channels: [ChannelConfiguration], _ leg: MessageLeg, _ way: ChannelConfiguration.Entrance) -> Bool
        {
            let entrances = ChannelEntrances(channels, devices: ["hall"])
            return (try? entrances.admit(.text("x"), in: Self.quiz, to: "wall", on: leg, by: way, caller: "c")) != nil
        }
        #expect(admits([senders, own], .own, .api) && !admits([senders, own], .own, .mqtt))
        #expect(!admits([senders, own], .sender, .api) && admits([senders, own], .sender, .mqtt))
        #expect(!admits([senders], .own, .api) && admits([senders], .own, .mqtt))
    }
}
