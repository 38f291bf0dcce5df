import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import DeviceSessions

/// What apps are asked when their device is back, and when that is over.
@Suite struct RelayGapTests {
    private final class Owner {}
    private let owner = Owner()
    private var gap = RelayGap()

    private func north(_ connection: UInt64) -> SenderIDs.North {
        SenderIDs.North(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: "sender-0")
    }

    @Test mutating func anAnswerToAllIsAnAnswer() throws {
        let asked = self.gap.refresh("web-1", for: self.north(1))
        let question = try #require(asked)
        self.gap.heardByAll(
            question.reply(json: ["type": "MEDIA_STATUS", "requestId": 0, "status": []]).addressed(to: .broadcast))
        #expect(self.gap.isRefreshing)
        let id = try #require(question.requestID)
        self.gap.heardByAll(
            question.reply(json: ["type": "MEDIA_STATUS", "requestId": id.json, "status": []])
                .addressed(to: .broadcast))
        #expect(!self.gap.isRefreshing)
    }

    @Test mutating func whoLeavesIsNotWaitedFor() {
        _ = self.gap.refresh("web-1", for: self.north(1))
        _ = self.gap.refresh("web-2", for: self.north(2))
        let gone = self.north(1)
        self.gap.forget { $0 == gone }
        #expect(self.gap.isRefreshing)
        self.gap.forget { $0 != gone }
        #expect(!self.gap.isRefreshing)
    }
}
