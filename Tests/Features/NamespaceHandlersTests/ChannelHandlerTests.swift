import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import Testing

@testable import NamespaceHandlers

@Suite struct ChannelHandlerTests {
    private static let namespace: Namespace = "urn:x-cast:com.example.echo"

    private func bench(_ handler: ChannelConfiguration.Handler) throws -> RouterBench {
        try RouterBench.builtIn(channels: [ChannelConfiguration(namespace: Self.namespace.rawValue, handler: handler)])
    }

    @Test func echoSendsTheSameBytesBack() throws {
        let text = #"{ "anything": 1.50 }"#
        let outcome = try self.bench(.echo).outcome(text, in: Self.namespace, to: "web-1")
        #expect(outcome == .answered(.test(text, in: Self.namespace, from: "web-1", to: "sender-7")))
    }

    @Test func echoTakesBytesToo() throws {
        let bench = try self.bench(.echo)
        var message = CastMessage.test("", in: Self.namespace)
        message.payload = .binary(.init(bytes: [0, 255]))
        bench.route(message)
        #expect(bench.output.toSenders.map(\.payload) == [message.payload])
    }

    @Test func broadcastGoesToEverySender() throws {
        let outcome = try self.bench(.broadcast).outcome("hello", in: Self.namespace, to: "web-1")
        #expect(outcome == .answered(.test("hello", in: Self.namespace, from: "web-1", to: "*")))
    }

    /// Every sender is connected to the platform, whichever app it uses.
    @Test(arguments: ["receiver-0", "*"])
    func thePlatformIsNoChannel(destination: String) throws {
        let bench = try self.bench(.broadcast)
        let outcome = bench.outcome(
            #"{"type":"X","requestId":4}"#, in: Self.namespace, to: EndpointID(rawValue: destination))
        #expect(outcome.answer?.destination == "sender-7")
        #expect(outcome.answerJSON == ["type": "INVALID_REQUEST", "requestId": 4, "reason": "INVALID_COMMAND"])
        #expect(bench.outcome("hello", in: Self.namespace, to: EndpointID(rawValue: destination)) == .swallowed)
    }

    @Test func otherNamespacesAreNotTouched() throws {
        let outcome = try self.bench(.echo).outcome("hello", in: "urn:x-cast:com.example.echo.more", to: "web-1")
        #expect(outcome == .forwarded("hello"))
    }

    @Test(arguments: ChannelConfiguration.Handler.allCases)
    func conforms(handler: ChannelConfiguration.Handler) throws {
        let configuration = ChannelConfiguration(namespace: Self.namespace.rawValue, handler: handler)
        let wide = ChannelConfiguration(
            namespace: "urn:x-cast:com.example.*", devices: ["hall", "room-*"], handler: handler)
        for channel in [configuration, wide] {
            let made = try #require(ChannelHandler([channel], devices: ["room-1"]))
            #expect(HandlerConformance(made).violations() == [])
        }
    }

    private func answers(_ bench: RouterBench, _ namespace: Namespace) -> Outcome {
        bench.outcome("hello", in: namespace, to: "web-1")
    }

    @Test func aPatternTakesEverythingBelowAndTheMostSpecificWins() throws {
        let bench = try RouterBench.builtIn(channels: [
            ChannelConfiguration(namespace: "urn:x-cast:com.example.*", handler: .broadcast),
            ChannelConfiguration(namespace: "urn:x-cast:com.example.quiz.*", handler: .echo),
            ChannelConfiguration(namespace: "urn:x-cast:com.example.quiz.all", handler: .broadcast),
        ])
        for (namespace, destination) in [
            ("urn:x-cast:com.example.a.b", "*"), ("urn:x-cast:com.example.quiz", "*"),
            ("urn:x-cast:com.example.quiz.a", "sender-7"), ("urn:x-cast:com.example.quiz.all", "*"),
        ] {
            let answer = self.answers(bench, Namespace(rawValue: namespace)).answer
            #expect(answer?.destination.rawValue == destination, "\(namespace)")
        }
        for namespace: Namespace in ["urn:x-cast:com.example", "urn:x-cast:com.examples"] {
            #expect(self.answers(bench, namespace) == .forwarded("hello"))
        }
    }

    @Test func channelsShareANamespaceOnDifferentDevices() throws {
        let channels = [
            ChannelConfiguration(namespace: Self.namespace.rawValue, devices: ["room-*", "hall"], handler: .echo),
            ChannelConfiguration(namespace: Self.namespace.rawValue, devices: ["lobby"], handler: .broadcast),
        ]
        #expect(Set(channels.map(\.handlerName)).count == 1)
        let handlers = ChannelHandler.all(of: channels, devices: ["room-1", "room-2", "lobby", "attic"], bridge: nil)
        #expect(handlers.map(\.name) == ["channel \(Self.namespace)"])
        #expect(handlers[0].claims.map(\.devices) == [["room-1", "room-2", "hall"], ["lobby"]])
        for (device, destination) in [("room-1", "sender-7"), ("hall", "sender-7"), ("lobby", "*"), ("attic", nil)] {
            let bench = try RouterBench(handlers, device: .test(name: device))
            #expect(self.answers(bench, Self.namespace).answer?.destination.rawValue == destination, "\(device)")
        }
    }

    @Test func explanationsNameTheChannelOfTheDevice() throws {
        let bench = try RouterBench.builtIn(channels: [
            ChannelConfiguration(namespace: "urn:x-cast:com.example.*", devices: ["hall"], handler: .echo)
        ])
        func lines(_ device: String) -> [String] {
            RouteExplanation(
                table: bench.registry.table, settings: RouterSettings(), device: .test(name: device),
                namespace: Self.namespace, type: nil, direction: .toReceiver
            ).lines
        }
        #expect(lines("hall").first?.hasPrefix("handle    channel urn:x-cast:com.example.* claims") == true)
        #expect(lines("attic") == ["default   forward to the built-in receiver"])
    }
}
