import CastWire
import GatewayCore
import GatewayTesting
import Testing

@Suite struct HandlerConformanceTests {
    private struct Oops: Error {}
    private static let claim = Claim(.exact("urn:x-cast:com.example.quiz"))

    @Test func aCarefulHandlerConforms() {
        let careful = FunctionHandler("careful", [Self.claim]) { routed, _ in
            guard routed.summary.type == "ASK" else { return .pass }
            return .reply(["type": "ANSWER", "requestId": routed.summary.requestID?.json ?? 0])
        }
        #expect(HandlerConformance(careful, types: ["ASK"]).violations() == [])
    }

    @Test func carelessHandlersAreFound() {
        let thrower = FunctionHandler("thrower", [Self.claim]) { routed, _ in
            if routed.message.payload.jsonObject == nil { throw Oops() }
            return .pass
        }
        let forgetful = FunctionHandler("forgetful", [Self.claim]) { _, _ in .reply(["type": "ANSWER"]) }
        let confused = FunctionHandler("confused", [Self.claim]) { _, _ in .reply(["requestId": 99]) }
        let misplaced = FunctionHandler("misplaced", [Claim(.any, phase: .filter)]) { _, _ in .forward }
        #expect(HandlerConformance(thrower).violations().contains { $0.contains("no JSON: threw") })
        #expect(HandlerConformance(forgetful).violations().contains { $0.contains("without the request's id 7") })
        #expect(HandlerConformance(confused).violations().contains { $0.contains("answered with the id 99") })
        #expect(HandlerConformance(misplaced).violations().contains { $0.contains("impossible verdict") })
    }
}
