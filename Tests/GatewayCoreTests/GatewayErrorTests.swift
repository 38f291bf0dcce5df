import GatewayCore
import Testing

@Suite struct GatewayErrorTests {
    @Test func equalCodesMakeEqualErrors() {
        #expect(GatewayError(.unknownDevice, "a") == GatewayError(.unknownDevice, "b"))
        #expect(GatewayError(.unknownDevice, "a") != GatewayError(.requestTimedOut, "a"))
        #expect(Set([GatewayError(.unknownDevice, "a"), GatewayError(.unknownDevice, "b")]).count == 1)
        #expect(GatewayError(.requestTimedOut, "no answer").description == "timeout: no answer")
    }
}
