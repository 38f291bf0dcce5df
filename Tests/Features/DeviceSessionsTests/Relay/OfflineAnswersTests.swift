import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import DeviceSessions

@Suite struct OfflineAnswersTests {
    private let answers = OfflineAnswers(lastKnown: .playing)

    private func answer(_ message: CastMessage) -> CastMessage? {
        self.answers.answer(to: message, PayloadSummary(peeking: message.payload))
    }

    @Test(arguments: ["GET_STATUS", "SET_VOLUME", "STOP"])
    func theStatusIsTheLastOneWithoutTheApp(type: String) throws {
        let answer = try #require(self.answer(.request(type, id: 7, from: "sender-x")))
        #expect(answer.source == .platformReceiver)
        #expect(answer.destination == "sender-x")
        #expect(answer.requestID == 7)
        let status = try #require(ReceiverStatusPayload(answer.payload)?.status)
        #expect(status.applications.isEmpty)
        #expect(status.volume?.level == 0.5)
    }

    @Test func aLaunchFails() throws {
        let answer = try #require(self.answer(.request("LAUNCH", id: 7)))
        #expect(answer.payload == LaunchError(.systemError, requestID: 7).payload)
    }

    /// Of a device that comes back soon it must not be said that it has no app.
    @Test func whichAppsThereAreIsNotKnown() throws {
        let question = CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            payload: ReceiverRequest.getAppAvailability(of: ["CC1AD845", "A"], requestID: 4).payload)
        let answer = try #require(self.answer(question))
        let availability = try #require(AppAvailability(answer.payload))
        #expect(availability.isAvailable("CC1AD845") == nil)
        #expect(availability.missingApps == ["CC1AD845", "A"] && availability.unavailableApps == [])
        #expect(answer.requestID == 4)
        let running = OfflineAnswers(lastKnown: .playing, keepsApps: true)
        let during = try #require(running.answer(to: question, PayloadSummary(peeking: question.payload)))
        #expect(AppAvailability(during.payload)?.availableApps == ["CC1AD845"])
        #expect(AppAvailability(during.payload)?.missingApps == ["A"])
    }

    @Test func aGroupIsEmpty() throws {
        let answer = try #require(self.answer(.request("GET_STATUS", id: 2, in: .multizone)))
        #expect(answer.type == "MULTIZONE_STATUS")
        #expect(answer.payload.jsonObject?.object("status")?.array("devices") == [])
    }

    @Test func everythingElseIsRefused() throws {
        let answer = try #require(self.answer(.request("PRECACHE", id: 3)))
        #expect(answer.type == "INVALID_REQUEST")
        #expect(answer.requestID == 3)
    }

    @Test func whoDoesNotWaitHearsNothing() {
        #expect(self.answer(.request("GET_STATUS", id: 0)) == nil)
        #expect(
            self.answer(
                CastMessage(
                    source: "sender-0", destination: .platformReceiver, namespace: .receiver,
                    json: ["type": "GET_STATUS"])) == nil)
    }

    @Test func anUnknownDeviceHasAPlainStatus() {
        let status = OfflineAnswers(lastKnown: nil).status
        #expect(status.applications.isEmpty)
        #expect(status.volume?.muted == false)
    }

    @Test func theBroadcastIsUnasked() {
        #expect(self.answers.broadcast.destination == .broadcast)
        #expect(self.answers.broadcast.requestID == .spontaneous)
        #expect(ReceiverStatusPayload(self.answers.broadcast.payload)?.status?.applications.isEmpty == true)
    }
}
