import CastWire
import GatewayCore
import GatewayTesting
import Testing

@Suite struct RejectionTests {
    private static func answer(_ text: String, _ namespace: Namespace, _ rejection: Rejection) -> String? {
        let message = CastMessage.test(text, in: namespace)
        let answer = rejection.answer(to: message, PayloadSummary(peeking: message.payload))
        if let answer {
            #expect(answer.source == .platformReceiver && answer.destination == .platformSender)
            #expect(answer.namespace == namespace)
        }
        return answer?.payload.text
    }

    @Test func eachNamespaceHasItsShape() {
        let launch = Self.answer(#"{"type":"LAUNCH","requestId":2}"#, .receiver, .notAllowed("not here"))
        #expect(launch == #"{"type":"LAUNCH_ERROR","requestId":2,"reason":"NOT_ALLOWED","error":"not here"}"#)
        let stop = Self.answer(#"{"type":"STOP","requestId":2}"#, .receiver, .notAllowed())
        #expect(stop == #"{"type":"INVALID_REQUEST","requestId":2,"reason":"NOT_ALLOWED"}"#)
        let setup = Self.answer(#"{"type":"eureka_info","request_id":5}"#, .setup, .notAllowed())
        #expect(
            setup
                == #"{"type":"eureka_info","request_id":5,"response_code":403,"response_string":"NOT_ALLOWED"}"#)
        let media = Self.answer(#"{"type":"LOAD","requestId":"abc"}"#, .media, .invalidParameters("no media"))
        #expect(
            media == #"{"type":"INVALID_REQUEST","requestId":"abc","reason":"INVALID_PARAMS","message":"no media"}"#)
    }

    @Test(arguments: [#"{"type":"X"}"#, #"{"type":"X","requestId":0}"#, "no json", #"{"requestId":null}"#])
    func whoDoesNotWaitIsNotAnswered(_ text: String) {
        #expect(Self.answer(text, .media, .overloaded) == nil)
    }
}
