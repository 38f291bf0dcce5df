import CastWire
import CastwayTestSupport
import GatewayCore
import Logging
import Testing

@testable import VirtualDevices

/// Who joined which app is told at info.
@Suite struct JoinLogTests {
    private let bench: DeviceBench
    private let sender: EmbeddedSender

    init() throws {
        self.bench = try DeviceBench()
        self.bench.target.sessions = [
            SessionFacts(
                appID: "CC1AD845", sessionID: "s-1", transportID: "web-1", displayName: "Player", namespaces: [])
        ]
        self.sender = try self.bench.connect()
    }

    private func lines(_ text: String) -> [[String: String]] {
        self.bench.log.entries.filter { $0.message == text && $0.level == .info }
            .map { $0.metadata.mapValues { "\($0)" } }
    }

    @Test func aJoinIsOneLine() throws {
        try self.sender.say(
            .connect("sender-0"), .connect("sender-0", to: "web-1"), .connect("sender-0", to: "web-1"))
        let line = try #require(self.lines("Join").first)
        #expect(self.lines("Join").count == 1)
        #expect(line["address"] == "192.0.2.7")
        #expect(line["app"] == "CC1AD845")
        #expect(line["app_name"] == "Player")
        #expect(line["sender"] == "sender-0")
    }

    @Test func aRefusedJoinSaysWhy() throws {
        try self.sender.say(.connect("sender-0", to: "web-9"))
        #expect(self.lines("Join").isEmpty)
        #expect(self.lines("Join refused").map { $0["reason"] } == ["no such app"])
    }

    @Test func joinsDoNotFillTheLog() throws {
        for number in 0..<80 { try self.sender.say(.connect(EndpointID(rawValue: "s-\(number)"), to: "web-1")) }
        // One of the sixty tells that the sender is there.
        #expect(self.lines("Join").count == 59)
    }
}
