import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// Why a session ended, as far as the device says so.
@Suite(.timeLimit(.minutes(1))) struct SessionEndReasonTests {
    private static let quiz = ReceiverStatus(
        application: ReceiverApplication(
            appID: "ABCD1234", displayName: "Quiz", sessionID: "session-9", transportID: "web-9",
            namespaces: ["urn:x-cast:com.example.quiz"]), volume: ReceiverVolume(level: 0.5, muted: false))

    private static func close(_ json: JSONObject = [:]) -> CastMessage {
        var payload: JSONObject = ["type": "CLOSE"]
        for member in json.members { payload[member.name] = member.value }
        return CastMessage(source: "web-1", destination: .platformSender, namespace: .connection, json: payload)
    }

    private func end(
        of close: CastMessage?, _ status: ReceiverStatus
    ) async throws -> (facts: CastSessionFacts, failure: SessionFailure)? {
        var ended: (CastSessionFacts, SessionFailure)?
        try await CastSessionTests().with(.usual(.playing)) { directory, device, events in
            _ = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            // Both at once: a CLOSE makes the session ask for the status, and the answer would join the app once more.
            if let close {
                try await device.say(close, .status(status))
            } else {
                try await device.say(.status(status))
            }
            for await event in events.events {
                if case .castSession(let facts, .didEnd(let failure?)) = event {
                    ended = (facts, failure)
                    break
                }
            }
        }
        return ended
    }

    @Test func anAppThatClosesItsConnectionSaysWhy() async throws {
        let (facts, failure) = try #require(await self.end(of: Self.close(["reasonCode": 5]), Self.quiz))
        #expect(failure.code == .replaced && failure.app == "ABCD1234")
        #expect(failure.closeReason == .closedBySelf)
        #expect(facts.state == .disconnected && facts.last == nil)
    }

    @Test func aReasonThatIsNotSaidIsTheUsualOne() async throws {
        let (_, failure) = try #require(await self.end(of: Self.close(), .idle))
        #expect(failure.code == .applicationNotRunning && failure.app == nil)
        #expect(failure.closeReason == .closedByPeer)
    }

    @Test func anAppThatIsGoneWithoutAWordHasNoReason() async throws {
        let (_, failure) = try #require(await self.end(of: nil, Self.quiz))
        #expect(failure.app == "ABCD1234" && failure.closeReason == nil)
    }

    @Test func appsOfARelayTellWhichOneTookTheirPlace() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await bench.onSession { $0.start() }
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(.playing))
            await bench.waitForOnline()
            try await bench.device.say(Self.close(["reasonCode": 4]), .status(Self.quiz))
            let ended = await bench.nextEvent { event -> (AppID?, ConnectionPayload.CloseReason?)? in
                if case .sessionEnded(_, "session-1", _, let app, let reason) = event { (app, reason) } else { nil }
            }
            #expect(ended?.0 == "ABCD1234" && ended?.1 == .inactive)
        }
    }

    @Test func ownedSessionsAreBounded() {
        var owned = OwnedSessions()
        owned.note(nil)
        for number in 0..<40 { owned.note("s\(number)") }
        owned.note("s30")
        #expect(owned.contains("s39") && owned.contains("s30") && !owned.contains("s0"))
    }
}
