import CastWire
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
    func conforms(handler: ChannelConfiguration.Handler) {
        let configuration = ChannelConfiguration(namespace: Self.namespace.rawValue, handler: handler)
        #expect(HandlerConformance(ChannelHandler(configuration: configuration)).violations() == [])
    }
}
