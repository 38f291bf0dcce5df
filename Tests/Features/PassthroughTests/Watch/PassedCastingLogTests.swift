import CastWire
import GatewayCore
import Logging
import NIOCore
import Testing

@testable import Passthrough

/// Who cast what, of a room whose messages are not seen: what the device does, and who is connected then.
@Suite struct PassedCastingLogTests {
    private static let now = NIODeadline.uptimeNanoseconds(0)
    private static let app = SessionFacts(
        appID: "CC1AD845", sessionID: "s", transportID: "web-1", displayName: "Default Media Receiver",
        namespaces: [.media])

    private static func status(_ content: String) -> JSONObject {
        ["media": ["contentId": .string(content), "metadata": ["title": "Tea"]], "playerState": "PLAYING"]
    }

    @Test func aLaunchAndALoadNameWhoIsConnected() throws {
        var log = PassedCastingLog()
        let started = log.started(Self.app, ["10.20.0.7"], at: Self.now)
        let launch = try #require(started)
        #expect(launch.message == .launch && launch.level == .info)
        #expect(launch.metadata["address"] == "10.20.0.7" && launch.metadata["app"] == "CC1AD845")
        let playing = log.plays(
            Self.status("https://a.example/tea.mp4"), at: "web-1", ["10.20.0.9", "10.20.0.7"], at: Self.now)
        let load = try #require(playing)
        #expect(load.message == .load && load.metadata["title"] == "Tea")
        #expect(load.metadata["addresses"] == ["10.20.0.7", "10.20.0.9"] && load.metadata["address"] == nil)
    }

    /// A status comes with every change of position.
    @Test func whatPlaysIsToldOnce() {
        var log = PassedCastingLog()
        log.found(Self.app)
        let status = Self.status("a")
        #expect(log.plays(status, at: "web-1", [], at: Self.now) != nil)
        #expect(log.plays(status, at: "web-1", [], at: Self.now) == nil)
        #expect(log.plays(["playerState": "PAUSED"], at: "web-1", [], at: Self.now) == nil)
        #expect(log.plays(Self.status("b"), at: "other", [], at: Self.now) == nil)
        #expect(log.plays(Self.status("b"), at: "web-1", [], at: Self.now) != nil)
    }

    @Test func theIdleScreenIsNoLaunchAndLinesAreFew() {
        var log = PassedCastingLog()
        let idle = SessionFacts(
            appID: .backdrop, sessionID: "i", transportID: "i", displayName: "Backdrop", namespaces: [])
        #expect(log.started(idle, [], at: Self.now) == nil)
        let levels = (0..<100).compactMap { _ in log.started(Self.app, [], at: Self.now)?.level }
        #expect(levels.count { $0 == .info } == 60 && levels.count { $0 == .debug } == 40)
    }
}
