import CastClient
import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// How a session begins.
@Suite struct SessionStartTests {
    private var bench = SessionBench()

    @Test mutating func whatRunsIsJoined() {
        let first = self.bench.start()
        #expect(first.changes == [.willStart])
        #expect(first.requests == [.status])
        #expect(self.bench.machine.state.connection == .connecting)
        let second = self.bench.answered(.status, .status(.playing))
        #expect(second.requests.isEmpty)
        #expect(second.connects == ["web-1"])
        #expect(second.contains(.save))
        #expect(second.changes == [.didStart])
        #expect(second.ends[.start] == .noError)
        #expect(self.bench.machine.state.connection == .connected)
        #expect(self.bench.machine.transport == "web-1")
    }

    /// Credentials reach an Android TV app by LAUNCH only, also when it is joined.
    @Test mutating func anAndroidAppIsJoinedByLaunchWithCredentials() {
        var status = ReceiverStatus.playing
        var app = status.applications[0]
        app.appType = "ANDROID_TV"
        status.applications = [app]
        let credentials = ReceiverRequest.LaunchCredentials(credentials: "me")
        self.bench = SessionBench(options: LaunchOptions(credentials: credentials))
        _ = self.bench.start()
        #expect(self.bench.answered(.status, .status(status)).requests == [.launch])
        let joined = self.bench.answered(.launch, .status(status))
        #expect(joined.connects == ["web-1"] && joined.changes == [.didStart])
        // Web apps are joined by connecting, and so is an Android TV app without credentials.
        self.bench = SessionBench(options: LaunchOptions(credentials: credentials))
        _ = self.bench.start()
        #expect(self.bench.answered(.status, .status(.playing)).changes == [.didStart])
        self.bench = SessionBench()
        _ = self.bench.start()
        #expect(self.bench.answered(.status, .status(status)).changes == [.didStart])
    }

    @Test mutating func whatDoesNotRunIsLaunched() {
        _ = self.bench.start()
        #expect(self.bench.answered(.status, .status(.idle)).requests == [.launch])
        let answered = self.bench.answered(.launch, .status(.playing))
        #expect(answered.connects == ["web-1"])
        #expect(answered.changes == [.didStart])
    }

    @Test mutating func anyStatusWithTheAppWillDo() {
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        #expect(self.bench.received(.idle).isEmpty)
        let told = self.bench.received(.playing)
        #expect(told.changes == [.didStart])
        // The answer to the LAUNCH comes behind it.
        #expect(told.contains(.cancelRequests))
        #expect(self.bench.answered(.launch, .status(.playing)).isEmpty)
    }

    @Test mutating func theIdleScreenIsNoApp() {
        var idle = ReceiverStatus.playing
        var backdrop = ReceiverApplication(
            appID: .backdrop, displayName: "Backdrop", sessionID: "s", transportID: "t", namespaces: [])
        backdrop.isIdleScreen = true
        idle.applications = [backdrop]
        _ = self.bench.start()
        #expect(self.bench.answered(.status, .status(idle)).requests == [.launch])
    }

    @Test mutating func anAndroidAppGoesByTheWebAppsID() {
        var status = ReceiverStatus.playing
        var app = status.applications[0]
        app.appID = "2C6A6E3D"
        status.applications = [app]
        _ = self.bench.start()
        #expect(self.bench.answered(.status, .status(status)).changes == [.didStart])
    }

    @Test func whatRunsIsLaunchedAnewIfThatIsWanted() {
        var bench = SessionBench(options: LaunchOptions(relaunchesIfRunning: true))
        _ = bench.start()
        #expect(bench.answered(.status, .status(.playing)).requests == [.launch])
        // The old session is not the new one.
        #expect(bench.received(.playing).isEmpty)
        #expect(bench.received(.relaunched).changes == [.didStart])
        #expect(bench.machine.application?.sessionID == "session-2")
    }

    @Test mutating func aDeviceThatIsAwayIsWaitedFor() {
        let first = self.bench.start(isOnline: false)
        #expect(first.requests.isEmpty)
        #expect(first.contains(.wait(until: self.bench.now + .seconds(30))))
        self.bench.pass(29)
        #expect(self.bench.linkUp(.playing).changes == [.didStart])
    }

    @Test mutating func aDeviceThatStaysAwayFailsTheStart() {
        _ = self.bench.start(isOnline: false)
        self.bench.pass(30)
        let failed = self.bench.timerFired()
        #expect(failed.ends == [.start: .deviceNotConnected])
        #expect(failed.changes.map(\.name) == ["session.did_fail_to_start"])
        #expect(self.bench.machine.isEnded)
        #expect(self.bench.linkUp(.playing).isEmpty)
    }

    @Test mutating func aDeviceThatIsLostMeanwhileIsAskedAgain() {
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        #expect(self.bench.linkDown() == [.cancelRequests])
        // The launch had arrived: the app is joined, and not launched twice.
        #expect(self.bench.linkUp(.playing).requests.isEmpty)
        #expect(self.bench.machine.transport == "web-1")
    }

    @Test mutating func aCancelledLaunchIsTriedOnceMore() {
        let cancelled = AppConnection.Answer.failed(
            RequestError(.launchCancelled, "cancelled", reason: "CANCELLED"))
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        #expect(self.bench.answered(.launch, cancelled) == [.wait(until: self.bench.now + .seconds(1))])
        #expect(self.bench.timerFired().requests.isEmpty)
        self.bench.pass(1)
        #expect(self.bench.timerFired().requests == [.launch])
        #expect(self.bench.answered(.launch, cancelled).ends == [.start: .launchCancelled])
    }

    @Test func aCancelledRelaunchStillKnowsWhatRanBefore() {
        var bench = SessionBench(options: LaunchOptions(relaunchesIfRunning: true))
        _ = bench.start()
        _ = bench.answered(.status, .status(.playing))
        _ = bench.answered(.launch, .failed(RequestError(.launchCancelled, "cancelled", reason: "CANCELLED")))
        bench.pass(1)
        #expect(bench.timerFired().requests == [.launch])
        #expect(bench.received(.playing).isEmpty)
        #expect(bench.received(.relaunched).changes == [.didStart])
    }

    @Test mutating func whoResumesWhatStartsIsToldWhenItHasStarted() {
        _ = self.bench.start()
        #expect(self.bench.machine.resume(.foreground, isOnline: true).isEmpty)
        #expect(self.bench.answered(.status, .status(.playing)).ends == [.start: .noError, .resume: .noError])
    }

    @Test mutating func aRefusedLaunchIsNot() {
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        let refused = self.bench.answered(
            .launch, .failed(RequestError(.applicationNotFound, "no such app", reason: "NOT_FOUND")))
        #expect(refused.ends == [.start: .applicationNotFound])
        #expect(self.bench.machine.isEnded)
    }

    @Test mutating func consentTakesItsTime() {
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        self.bench.pass(20)
        let pending = self.bench.consent(.userPendingAuthorization)
        #expect(pending.changes == [.launchStatus(.pending)])
        #expect(pending.contains(.wait(until: self.bench.now + .seconds(120))))
        self.bench.pass(100)
        #expect(self.bench.timerFired() == [.wait(until: self.bench.now + .seconds(20))])
        #expect(self.bench.consent(.userAllowed).changes == [.launchStatus(.allowed)])
        #expect(self.bench.answered(.launch, .status(.playing)).changes == [.didStart])
    }

    @Test mutating func aRefusalFailsTheStart() {
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        let refused = self.bench.consent(.userNotAllowed)
        #expect(refused.changes.first == .launchStatus(.notAllowed))
        #expect(refused.ends == [.start: .notAllowed])
    }

    @Test mutating func anAppThatNeverComesFailsTheStart() {
        _ = self.bench.start()
        _ = self.bench.answered(.status, .status(.idle))
        // Answered, but without the app.
        #expect(self.bench.answered(.launch, .status(.idle)).isEmpty)
        self.bench.pass(30)
        #expect(self.bench.timerFired().ends == [.start: .timeout])
    }

    @Test mutating func aStartCanBeGivenUp() {
        _ = self.bench.start()
        #expect(self.bench.end(.leave).ends == [.start: .cancelled, .end: .noError])
        #expect(self.bench.answered(.status, .status(.playing)).isEmpty)
    }

    @Test func aSessionIsJoinedByItsIDAndNeverLaunched() {
        func joining(_ id: String) -> SessionBench {
            SessionBench(
                machine: SessionStateMachine(
                    joining: id, isPolite: true, suspendAfter: .seconds(30), at: .uptimeNanoseconds(0)))
        }
        var bench = joining("session-1")
        _ = bench.start()
        #expect(bench.answered(.status, .status(.playing)).changes == [.didStart])
        bench = joining("session-9")
        _ = bench.start()
        let failed = bench.answered(.status, .status(.playing))
        #expect(failed.ends == [.start: .joinSessionMismatch])
        #expect(failed.requests.isEmpty)
    }
}
