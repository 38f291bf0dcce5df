import CastWire
import GatewayCore
import Testing

@Suite struct GatewayErrorTests {
    @Test func equalCodesMakeEqualErrors() {
        #expect(GatewayError(.unknownDevice, "a") == GatewayError(.unknownDevice, "b"))
        #expect(GatewayError(.unknownDevice, "a") != GatewayError(.listenFailed, "a"))
        #expect(Set([GatewayError(.unknownDevice, "a"), GatewayError(.unknownDevice, "b")]).count == 1)
        #expect(GatewayError(.handlerTimedOut, "no answer").description == "handler_timed_out: no answer")
    }

    @Test func anErrorOfTheGatewayIsMadeFromACode() {
        let error = GatewayError(GatewayError.Code(.timeout), "no answer")
        #expect(error.description == "timeout: no answer")
    }
}
