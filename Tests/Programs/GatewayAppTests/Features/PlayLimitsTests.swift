import CastWire
import CastwayTestSupport
import GatewayCore
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import DeviceControl
@testable import NamespaceHandlers

/// Sessions whose time of play is over are ended, whatever the device does meanwhile.
@Suite(.timeLimit(.minutes(1))) struct PlayLimitsTests {
    /// A device that answers as told, one answer after the other, and then says that nothing runs.
    private final class Device: InternalSenders {
        private let answers: Mutex<[String?]>
        private let heard = Mutex<[String]>([])

        init(_ answers: [String?]) {
            self.answers = Mutex(answers)
        }

        /// The types of what it was sent.
        var asked: [String] { self.heard.withLock { $0 } }

        func snapshot() async -> GatewaySnapshot { GatewaySnapshot(devices: [], sessions: []) }

        func send(
            _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
            wait: Duration?
        ) async throws(GatewayError) -> CastMessage.Payload? {
            self.heard.withLock { $0.append(payload.jsonObject?.string("type") ?? "") }
            let answer = self.answers.withLock { $0.isEmpty ? PlayLimitsTests.nothingRuns : $0.removeFirst() }
            guard let answer else { throw GatewayError(.unknownDevice, "no device '\(app.device)'") }
            return .text(answer)
        }

        func broadcast(
            _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin
        ) async throws(GatewayError) {}

        func listen(to app: AppAddress, as sender: MessageOrigin, limit: Int) async throws(GatewayError) -> SenderInbox
        {
            throw GatewayError(.unavailable, "nobody listens here")
        }
    }

    private static let nothingRuns = #"{"type":"RECEIVER_STATUS","requestId":1,"status":{"applications":[]}}"#
    private static let itRuns = #"""
        {"type":"RECEIVER_STATUS","requestId":1,"status":{"applications":[
        {"appId":"CC1AD845","sessionId":"s-1","transportId":"web-1","namespaces":[]}]}}
        """#
    private static let refused = #"{"type":"INVALID_REQUEST","requestId":1,"reason":"INVALID_SESSION_ID"}"#

    /// What a device is asked when the time of its session is over, until the session is forgotten, and what is logged.
    private func asked(
        _ answers: [String?], unreachable: Int = 0
    ) async -> (asked: [String], logged: [String]) {
        let loop = EmbeddedEventLoop()
        let plays = PlaySessions(eventLoop: loop)
        let session = PlaySessions.Session(rule: "half-hour", device: "lobby", id: "s-1")
        #expect(plays.mayPlay(session, for: .minutes(30)))
        let device = Device(answers)
        let log = LogRecorder()
        let misses = Mutex(unreachable)
        let feature = PlayLimitsFeature(
            log.logger("PlayLimits"), plays: plays, senders: device, pause: .milliseconds(1)
        ) { _ in
            misses.withLock { left in
                defer { left = max(0, left - 1) }
                return left == 0
            }
        }
        loop.advanceTime(by: .minutes(30))
        await feature.end(session)
        #expect(plays.count == 0)
        return (device.asked, log.entries(atLeast: .info).map { "\($0.level): \($0.message)" })
    }

    @Test func aDeviceOutOfReachIsAskedWhenItIsBack() async {
        let (asked, logged) = await self.asked([], unreachable: 3)
        #expect(asked == ["STOP"])
        #expect(
            logged == [
                "warning: An app that has played for as long as it may was not ended; that is tried again",
                "info: An app has played for as long as it may",
            ])
    }

    @Test func aSessionThatGoesOnIsEndedAgain() async {
        #expect(await self.asked([Self.itRuns, Self.itRuns]).asked == ["STOP", "STOP", "STOP"])
    }

    @Test func aSessionThatHasEndedIsNotEndedAgain() async {
        #expect(await self.asked([Self.refused, Self.nothingRuns]).asked == ["STOP", "GET_STATUS"])
        #expect(await self.asked([Self.refused, Self.itRuns]).asked == ["STOP", "GET_STATUS", "STOP"])
        #expect(await self.asked([Self.refused, Self.refused]).asked == ["STOP", "GET_STATUS", "STOP"])
    }

    @Test func aDeviceThatIsGoneHasNothingToEnd() async {
        let (asked, logged) = await self.asked([nil])
        #expect(asked == ["STOP"])
        #expect(logged == [])
    }
}
