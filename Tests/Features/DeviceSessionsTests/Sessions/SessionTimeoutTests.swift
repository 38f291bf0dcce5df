import CastClient
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// `sessions.timeouts`: the times of the configuration are those that are kept.
@Suite(.timeLimit(.minutes(1))) struct SessionTimeoutTests {
    private static let short = SessionsConfiguration {
        $0.timeouts.answer = .milliseconds(50)
        $0.timeouts.launch = .milliseconds(80)
    }

    @Test func theStartOfAnAppHasItsTime() {
        var timeouts = SessionTimeouts()
        timeouts.launch = .seconds(5)
        timeouts.consent = .seconds(40)
        let start = NIODeadline.uptimeNanoseconds(0)
        var bench = SessionBench(
            machine: SessionStateMachine(
                app: SessionBench.app, options: LaunchOptions(), isPolite: true, suspendAfter: .seconds(30),
                timeouts: timeouts, at: start))
        #expect(bench.start().contains(.wait(until: start + .seconds(5))))
        _ = bench.answered(.status, .status(.resting))
        #expect(bench.consent(.userPendingAuthorization).contains(.wait(until: start + .seconds(40))))
        bench.pass(40)
        #expect(bench.timerFired().ends == [.start: .timeout])
    }

    @Test func aLaunchThatIsNotAnsweredEnds() async throws {
        try await CastSessionTests().with(.usual(.idle), sessions: Self.short) { directory, _, _ in
            var code: CastErrorCode?
            do throws(SessionFailure) {
                _ = try await directory.startSession(device: "tv", app: "ABCD1234")
            } catch {
                code = error.code
            }
            #expect(code == .timeout)
        }
    }

    @Test func theTimesOfAReloadHoldForASessionThatRuns() async throws {
        try await CastSessionTests().with(.usual(.playing)) { directory, device, _ in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            #expect(directory.timeouts == SessionTimeouts())
            let update = try await directory.prepare(
                devices: ["tv": [DeviceAddress(host: "127.0.0.1", port: device.port)]],
                configuration: ConnectionsConfiguration(), sessions: Self.short, stopsApps: false)
            try await directory.commit(update)
            #expect(directory.timeouts == Self.short.timeouts)
            var platform: CastErrorCode?
            do throws(SessionFailure) {
                try await session.setVolume(0.3)
            } catch {
                platform = error.code
            }
            #expect(platform == .timeout)
            var app: CastErrorCode?
            do throws(RequestError) {
                try await session.media.refresh()
            } catch {
                app = error.code
            }
            #expect(app == .timeout)
        }
    }
}
