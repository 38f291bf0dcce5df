import CastWire
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

@Suite struct MultizoneHandlerTests {
    @Test func requestsGoOnAsTheyCame() throws {
        let text = #"{ "type":"GET_STATUS","requestId":1 }"#
        #expect(try RouterBench.builtIn().outcome(text, in: .multizone) == .forwarded(text))
    }

    @Test func whatHasNoTypeIsSwallowed() throws {
        #expect(try RouterBench.builtIn().outcome("hello", in: .multizone) == .swallowed)
    }

    @Test func whatTheDeviceSaysGoesOn() throws {
        let text = #"{"type":"DEVICE_ADDED","requestId":0}"#
        let outcome = try RouterBench.builtIn().outcome(
            text, in: .multizone, from: .platformReceiver, to: "*", direction: .toSender)
        #expect(outcome == .forwarded(text))
    }

    @Test func conforms() {
        #expect(HandlerConformance(MultizoneHandler(), types: ["GET_STATUS"]).violations() == [])
    }
}
