import CastWire
import CastwayTestSupport
import NIOCore
import Testing

@testable import DeviceSessions

@Suite struct LastMediaStatusesTests {
    private static let told = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func statuses(_ status: JSONObject) -> LastMediaStatuses {
        var statuses = LastMediaStatuses()
        let push: JSONObject = ["type": "MEDIA_STATUS", "requestId": 0, "status": [.object(status)]]
        statuses.note(CastMessage(source: "web-1", destination: "*", namespace: .media, json: push), at: Self.told)
        return statuses
    }

    /// A film that a phone has loaded is told of once, and plays on.
    @Test func whatPlaysIsFurtherThanItWasTold() {
        var statuses = self.statuses([
            "mediaSessionId": 1, "playerState": "PLAYING", "currentTime": 5,
            "media": ["contentId": "one", "duration": 6000],
        ])
        #expect(statuses.status(at: "web-1", now: Self.told + .seconds(600))?.currentTime == 605)
        #expect(statuses.status(at: "web-2", now: Self.told) == nil)
    }

    @Test func whatIsPausedStaysWhereItIs() {
        var statuses = self.statuses(["mediaSessionId": 1, "playerState": "PAUSED", "currentTime": 5])
        #expect(statuses.status(at: "web-1", now: Self.told + .seconds(600))?.currentTime == 5)
    }

    @Test func theEdgeOfALiveStreamMovesOn() {
        var statuses = self.statuses([
            "mediaSessionId": 1, "playerState": "PLAYING", "currentTime": 90, "media": ["streamType": "LIVE"],
            "liveSeekableRange": ["start": 0, "end": 100, "isMovingWindow": true],
        ])
        let status = statuses.status(at: "web-1", now: Self.told + .seconds(60))
        #expect(status?.currentTime == 150)
        #expect(status?.liveSeekableRange?.end == 160)
        #expect(status?.liveSeekableRange?.start == 60)
    }
}
