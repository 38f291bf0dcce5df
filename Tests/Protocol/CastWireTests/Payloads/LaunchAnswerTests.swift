import CastWire
import Testing

/// LAUNCH_STATUS, LAUNCH_ERROR, INVALID_REQUEST and the answer to GET_APP_AVAILABILITY.
@Suite struct LaunchAnswerTests {
    @Test func launchStatusIsReadAndWritten() throws {
        let text = #"{"type":"LAUNCH_STATUS","launchRequestId":5,"status":"USER_PENDING_AUTHORIZATION","x":1}"#
        let status = try LaunchStatus(text: text)
        #expect(status.launchRequestID == 5)
        #expect(status.requestID == nil)
        #expect(status.state == .userPendingAuthorization)
        #expect(status.text == text)
        #expect(
            LaunchStatus(.userAllowed, launchRequestID: 5).text
                == #"{"type":"LAUNCH_STATUS","launchRequestId":5,"status":"USER_ALLOWED"}"#)
        #expect(try LaunchStatus(text: #"{"status":"ODD"}"#).state == nil)
        #expect(LaunchStatus(.userNotAllowed, launchRequestID: 5).state == .userNotAllowed)
    }

    @Test func launchErrorIsReadAndWritten() throws {
        let text =
            #"{"type":"LAUNCH_ERROR","requestId":5,"reason":"NOT_ALLOWED","extendedError":"USER_NOT_ALLOWED","error":"x"}"#
        let error = try LaunchError(text: text)
        #expect(error.requestID == 5)
        #expect(error.reason == .notAllowed)
        #expect(error.extendedError == "USER_NOT_ALLOWED")
        #expect(error.text == text)
        #expect(
            LaunchError(.notFound, requestID: 6).text
                == #"{"type":"LAUNCH_ERROR","requestId":6,"reason":"NOT_FOUND"}"#)
        #expect(try LaunchError(text: #"{"reason":"In my own words"}"#).reason == "In my own words")
    }

    @Test func invalidRequestEchoesTheId() throws {
        #expect(
            InvalidRequest(.invalidCommand, requestID: 3).text
                == #"{"type":"INVALID_REQUEST","requestId":3,"reason":"INVALID_COMMAND"}"#)
        let id = try #require(RequestID(json: "a"))
        #expect(InvalidRequest("MY_REASON", requestID: id).text.contains(#""requestId":"a","reason":"MY_REASON""#))
        #expect(InvalidRequest(.invalidSessionID, requestID: 3).reason == .invalidSessionID)
    }

    @Test func availabilityIsWrittenUnderBothTypes() {
        let answer = AppAvailability(of: [.mirroring, .defaultMediaReceiver], requestID: 2) {
            $0 == .defaultMediaReceiver
        }
        #expect(
            answer.text
                == #"{"type":"GET_APP_AVAILABILITY","responseType":"GET_APP_AVAILABILITY","requestId":2,"availability":{"0F5096E8":"APP_UNAVAILABLE","CC1AD845":"APP_AVAILABLE"}}"#
        )
        #expect(answer.isAvailable(.mirroring) == false)
        #expect(answer.isAvailable(.defaultMediaReceiver) == true)
        #expect(answer.isAvailable(.netflix) == nil)
        #expect(answer.availableApps == [.defaultMediaReceiver])
        #expect(answer.unavailableApps == [.mirroring] && answer.missingApps == [.mirroring])
        let unknown = AppAvailability(of: [.mirroring], requestID: 2) { _ in nil }
        #expect(unknown.isAvailable(.mirroring) == nil && unknown.availableApps == [])
        #expect(unknown.unavailableApps == [] && unknown.missingApps == [.mirroring])
    }

    @Test func availabilityOfDevicesIsRead() throws {
        let text =
            #"{"requestId":1,"responseType":"GET_APP_AVAILABILITY","availability":{"0F5096E8":"APP_AVAILABLE","X":1}}"#
        let answer = try AppAvailability(text: text)
        #expect(answer.type == AppAvailability.type)
        #expect(answer.requestID == 1)
        #expect(answer.isAvailable(.mirroring) == true)
        #expect(answer.isAvailable("X") == nil)
        #expect(answer.text == text)
        #expect(PayloadSummary(peeking: answer.payload).type == AppAvailability.type)
    }
}
