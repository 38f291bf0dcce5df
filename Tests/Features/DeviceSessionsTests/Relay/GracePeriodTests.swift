import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import DeviceSessions

/// What apps are asked when their device is back, and when that is over.
@Suite struct GracePeriodTests {
    private final class Owner {}
    private let owner = Owner()
    private var grace = GracePeriod()

    private func sender(_ connection: UInt64) -> SenderEnd {
        SenderEnd(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: "sender-0")
    }

    @Test mutating func anAnswerToAllIsAnAnswer() throws {
        let asked = self.grace.refresh("web-1", for: self.sender(1))
        let question = try #require(asked)
        self.grace.receivedByAll(
            question.reply(json: ["type": "MEDIA_STATUS", "requestId": 0, "status": []]).addressed(to: .broadcast))
        #expect(self.grace.isRefreshing)
        let id = try #require(question.requestID)
        self.grace.receivedByAll(
            question.reply(json: ["type": "MEDIA_STATUS", "requestId": id.json, "status": []])
                .addressed(to: .broadcast))
        #expect(!self.grace.isRefreshing)
    }

    @Test mutating func whoLeavesIsNotWaitedFor() {
        _ = self.grace.refresh("web-1", for: self.sender(1))
        _ = self.grace.refresh("web-2", for: self.sender(2))
        let gone = self.sender(1)
        self.grace.forget { $0 == gone }
        #expect(self.grace.isRefreshing)
        self.grace.forget { $0 != gone }
        #expect(!self.grace.isRefreshing)
    }
}
