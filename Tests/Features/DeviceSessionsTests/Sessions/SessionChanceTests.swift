import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// Whatever happens in whatever order, what has to hold of a session holds.
@Suite struct SessionChanceTests {
    private static let statuses: [ReceiverStatus] = {
        var moved = ReceiverStatus.playing
        var app = moved.applications[0]
        app.transportID = "web-2"
        moved.applications = [app]
        let quiz = ReceiverStatus(
            application: ReceiverApplication(
                appID: "ABCD1234", displayName: "Quiz", sessionID: "session-7", transportID: "web-7", namespaces: []),
            volume: ReceiverVolume(level: 0.5, muted: false))
        return [.playing, .playing, .playing, .idle, .relaunched, moved, quiz]
    }()

    private static let requests: [SessionRequest] = [.status, .launch, .stop(sessionID: "session-1")]

    private func step(_ bench: inout SessionBench, _ random: inout SeededGenerator) -> [SessionBench.Action] {
        let status = Self.statuses[random.int(0...(Self.statuses.count - 1))]
        switch random.int(0...15) {
        case 0, 1: return bench.received(status)
        case 2, 3: return bench.linkUp(status)
        case 4, 5: return bench.linkDown()
        case 6: return bench.timerFired()
        case 7: return bench.closed(random.once(in: 2) ? "web-1" : "web-2")
        case 8: return bench.consent(LaunchStatus.State.allCases[random.int(0...2)])
        case 9: return bench.machine.suspend(random.once(in: 2) ? .appBackgrounded : .networkError)
        case 10: return bench.machine.resume(.foreground, isOnline: random.once(in: 2))
        case 11 where random.once(in: 8): return bench.end(SessionEndAction.allCases[random.int(0...2)])
        case 12:
            bench.pass(Int64(random.int(1...40)))
            return bench.timerFired()
        default:
            let request = Self.requests[random.int(0...2)]
            let failures = [
                RequestError(.launchCancelled, "", reason: "CANCELLED"), RequestError(.timeout, ""),
            ]
            return random.once(in: 6)
                ? bench.answered(request, .failed(failures[random.int(0...1)]))
                : bench.answered(request, .status(status))
        }
    }

    @Test(arguments: 0..<20) func itIsStartedOnceAndEndedOnce(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<100 {
            var bench = SessionBench(
                options: LaunchOptions(relaunchesIfRunning: random.once(in: 4)), isPolite: !random.once(in: 4),
                suspendAfter: random.once(in: 4) ? .zero : .seconds(30))
            var told = bench.start(isOnline: random.once(in: 2)).changes
            var open: Set<EndpointID> = []
            for _ in 0..<80 {
                let wasEnded = bench.machine.isEnded
                let wasStarting = bench.machine.application == nil
                let actions = self.step(&bench, &random)
                told += actions.changes
                for action in actions {
                    switch action {
                    case .connect(let end): open.insert(end)
                    case .close(let end): open.remove(end)
                    // The channel takes them along.
                    case .detach where bench.machine.transport == nil: open = []
                    default: break
                    }
                }
                // Nothing is launched but to start, and nothing is told when all is over.
                if !wasStarting || wasEnded { #expect(!actions.requests.contains(.launch)) }
                if wasEnded { #expect(actions.changes.isEmpty && actions.connects.isEmpty) }
                if let transport = bench.machine.transport { #expect(open.contains(transport)) }
            }
            #expect(told.first == .willStart)
            #expect(told.count { $0 == .didStart } <= 1)
            #expect(told.count { $0.name == "session.did_end" || $0.name == "session.did_fail_to_start" } <= 1)
            let last = told.last?.name
            #expect(!bench.machine.isEnded || last == "session.did_end" || last == "session.did_fail_to_start")
        }
    }
}
