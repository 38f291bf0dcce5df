import CastClient
import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// What becomes of a session that runs.
@Suite struct SessionLifeTests {
    private var bench = SessionBench()

    private static let quiz = ReceiverStatus(
        application: ReceiverApplication(
            appID: "ABCD1234", displayName: "Quiz", sessionID: "session-7", transportID: "web-7",
            namespaces: ["urn:x-cast:a"]),
        volume: ReceiverVolume(level: 0.5, muted: false))

    private func end(_ actions: [SessionBench.Action]) -> SessionFailure? {
        for case .emit(.didEnd(let failure)) in actions { return failure }
        return nil
    }

    init() {
        self.bench.connect()
    }

    // MARK: At the device

    @Test mutating func anotherAppTakesOver() {
        let actions = self.bench.received(Self.quiz)
        #expect(self.end(actions)?.code == .replaced)
        #expect(self.end(actions)?.app == "ABCD1234")
        #expect(actions.contains(.forget))
        #expect(self.bench.machine.isEnded)
    }

    @Test mutating func theAppIsStoppedAtADeviceWithAnIdleScreen() {
        let actions = self.bench.received(.resting)
        #expect(self.end(actions)?.code == .applicationNotRunning)
        #expect(actions.contains(.detach(isForGood: true)))
        #expect(self.bench.machine.isEnded)
    }

    @Test mutating func theAppIsStoppedAtADeviceWithoutOne() {
        let gone = self.bench.received(.idle)
        #expect(gone.changes.isEmpty && gone.contains(.forget) && gone.contains(.detach(isForGood: true)))
        #expect(gone.contains(.wait(until: self.bench.now + SessionStateMachine.successorPatience)))
        #expect(self.bench.machine.transport == nil && self.bench.machine.state.connection == .disconnecting)
        // It says the same again, for another reason.
        #expect(self.bench.received(.idle).isEmpty)
        self.bench.pass(1)
        let ended = self.bench.timerFired()
        #expect(ended.changes.count == 1 && self.end(ended)?.code == .applicationNotRunning)
        #expect(self.bench.machine.isEnded)
    }

    @Test(arguments: [true, false])
    mutating func theAppThatTakesOverIsNamedAfterAnEmptyScreen(closesFirst: Bool) {
        if closesFirst {
            _ = self.bench.closed("web-1")
            #expect(self.bench.answered(.status, .status(.idle)).changes.isEmpty)
        } else {
            _ = self.bench.received(.idle)
            #expect(self.bench.closed("web-1").isEmpty)
        }
        let ended = self.bench.received(Self.quiz)
        #expect(self.end(ended)?.code == .replaced)
        #expect(self.end(ended)?.app == "ABCD1234")
        #expect(self.bench.machine.isEnded)
        #expect(self.bench.timerFired().isEmpty)
    }

    @Test mutating func nothingIsWaitedForWhenTheDeviceIsLost() {
        _ = self.bench.received(.idle)
        #expect(self.end(self.bench.linkDown())?.code == .applicationNotRunning)
        #expect(self.bench.machine.isEnded)
    }

    @Test mutating func aCallerThatEndsItMeanwhileIsNotToldOfAFailure() {
        _ = self.bench.received(.idle)
        let resumed = self.bench.machine.resume(.foreground, isOnline: true)
        #expect(resumed.ends == [.resume: .applicationNotRunning])
        #expect(self.bench.machine.suspend(.appBackgrounded).isEmpty)
        let ended = self.bench.end(.stop)
        #expect(self.end(ended)?.code == .applicationNotRunning)
        #expect(ended.ends == [.end: .noError] && ended.requests.isEmpty)
    }

    @Test mutating func aScreenThatWasEmptyForAMomentBringsNothingBack() {
        _ = self.bench.received(.idle)
        let ended = self.bench.received(.playing)
        #expect(self.end(ended)?.code == .applicationNotRunning && self.end(ended)?.app == nil)
        #expect(ended.connects.isEmpty)
    }

    @Test mutating func somebodyLaunchesItAnew() {
        let actions = self.bench.received(.relaunched)
        #expect(self.end(actions)?.code == .replaced)
        #expect(actions.requests.isEmpty)
    }

    @Test mutating func itsTransportMoves() {
        var moved = ReceiverStatus.playing
        var app = moved.applications[0]
        app.transportID = "web-2"
        moved.applications = [app]
        let actions = self.bench.received(moved)
        #expect(actions.closes == ["web-1"])
        #expect(actions.connects == ["web-2"])
        #expect(actions.contains(.attach(app)))
        #expect(self.bench.machine.transport == "web-2")
    }

    @Test mutating func itsTextAndNameChange() {
        var changed = ReceiverStatus.playing
        var app = changed.applications[0]
        app.statusText = "Ready"
        changed.applications = [app]
        #expect(self.bench.received(changed).changes == [.deviceStatus("Ready")])
        #expect(self.bench.received(changed).isEmpty)
        app.displayName = "Player"
        changed.applications = [app]
        #expect(self.bench.received(changed).changes == [.appMetadata])
    }

    @Test mutating func anAppThatClosesItsConnectionIsAskedFor() {
        let closed = self.bench.closed("web-1")
        #expect(closed.closes == ["web-1"])
        #expect(closed.requests == [.status])
        // It still runs, as after a restart of the platform.
        let again = self.bench.answered(.status, .status(.playing))
        #expect(again.connects == ["web-1"])
        #expect(self.bench.closed("web-9").isEmpty)
    }

    @Test mutating func anAppThatClosesItsConnectionAndIsGoneEnds() {
        _ = self.bench.closed("web-1")
        #expect(self.end(self.bench.answered(.status, .status(.resting)))?.code == .applicationNotRunning)
    }

    @Test mutating func anAppThatGoesOnClosingIsGivenUp() {
        for _ in 0..<3 {
            _ = self.bench.closed("web-1")
            _ = self.bench.answered(.status, .status(.playing))
        }
        #expect(self.end(self.bench.closed("web-1"))?.code == .disconnected)
    }

    @Test mutating func anAppThatClosesItsConnectionNowAndThenIsKept() {
        for _ in 0..<8 {
            _ = self.bench.closed("web-1")
            _ = self.bench.answered(.status, .status(.playing))
            self.bench.pass(30)
        }
        #expect(self.bench.machine.transport == "web-1")
    }

    // MARK: Loss

    @Test mutating func aShortGapIsNotTold() {
        let lost = self.bench.linkDown()
        #expect(lost.changes.isEmpty)
        #expect(lost.contains(.detach(isForGood: false)))
        #expect(self.bench.machine.state.connection == .connecting)
        self.bench.pass(29)
        let back = self.bench.linkUp(.playing)
        #expect(back.changes.isEmpty)
        #expect(back.connects == ["web-1"])
        #expect(back.contains { if case .attach = $0 { true } else { false } })
        #expect(back.requests.isEmpty)
    }

    @Test mutating func aLongOneIs() {
        let lost = self.bench.linkDown()
        #expect(lost.contains(.wait(until: self.bench.now + .seconds(30))))
        self.bench.pass(30)
        #expect(self.bench.timerFired().changes == [.didSuspend(.networkError)])
        #expect(self.bench.machine.state.suspendReason == .networkError)
        self.bench.pass(100_000)
        let back = self.bench.linkUp(.playing)
        #expect(back.changes == [.willResume(.network), .didResume(.network)])
        #expect(back.connects == ["web-1"])
    }

    @Test func withoutPatienceItIsToldAtOnce() {
        var bench = SessionBench(suspendAfter: .zero)
        bench.connect()
        #expect(bench.linkDown(.networkNotReachable).changes == [.didSuspend(.networkNotReachable)])
    }

    @Test(arguments: [(ReceiverStatus.idle, CastErrorCode.applicationNotRunning), (quiz, .resumeApplicationMismatch)])
    mutating func whatIsGoneIsNotLaunched(status: ReceiverStatus, code: CastErrorCode) {
        _ = self.bench.linkDown()
        let back = self.bench.linkUp(status)
        #expect(self.end(back)?.code == code)
        #expect(back.requests.isEmpty)
        #expect(!back.changes.contains { $0.name == "session.did_fail_to_resume" })
    }

    @Test mutating func whoWasToldOfTheSuspensionHearsThatItCannotBeResumed() {
        _ = self.bench.linkDown()
        self.bench.pass(30)
        _ = self.bench.timerFired()
        let back = self.bench.linkUp(.relaunched)
        #expect(
            back.changes.map(\.name) == [
                "session.will_resume", "session.did_fail_to_resume", "session.did_end",
            ])
        #expect(self.end(back)?.code == .resumeSessionMismatch)
    }

    @Test(arguments: [false, true])
    mutating func anotherDeviceIsNotGoneOnWithWhateverItPlays(isTold: Bool) {
        _ = self.bench.linkDown()
        if isTold {
            self.bench.pass(30)
            _ = self.bench.timerFired()
        }
        self.bench.machine.isOtherDevice = true
        let back = self.bench.linkUp(.playing)
        #expect(self.end(back)?.code == .resumeDeviceMismatch)
        #expect(back.connects.isEmpty && back.requests.isEmpty)
        #expect(back.changes.contains { $0.name == "session.did_fail_to_resume" } == isTold)
    }

    @Test func whoIsNotPoliteJoinsTheNewSession() {
        var bench = SessionBench(isPolite: false)
        bench.connect()
        _ = bench.linkDown()
        #expect(bench.linkUp(.relaunched).connects == ["web-1"])
        #expect(bench.machine.application?.sessionID == "session-2")
    }

    // MARK: On request

    @Test mutating func leaving() {
        let actions = self.bench.end(.leave)
        #expect(actions.changes == [.willEnd(.leave), .didEnd(nil)])
        #expect(actions.closes == ["web-1"])
        #expect(actions.requests.isEmpty)
        #expect(!actions.contains(.hangUp))
        #expect(actions.ends == [.end: .noError])
    }

    @Test mutating func disconnecting() {
        #expect(self.bench.end(.disconnect).contains(.hangUp))
    }

    @Test mutating func stopping() {
        let first = self.bench.end(.stop)
        #expect(first.changes == [.willEnd(.stop)])
        #expect(first.requests == [.stop(sessionID: "session-1")])
        #expect(self.bench.machine.state.connection == .disconnecting)
        let second = self.bench.answered(.stop(sessionID: "session-1"), .status(.idle))
        #expect(second.changes == [.didEnd(nil)])
        #expect(second.ends == [.end: .noError])
    }

    @Test mutating func stoppingWhatHasStoppedAlready() {
        _ = self.bench.end(.stop)
        let answer = AppConnection.Answer.failed(
            RequestError(.invalidApplicationSessionID, "gone", reason: "INVALID_SESSION_ID"))
        #expect(self.bench.answered(.stop(sessionID: "session-1"), answer).changes == [.didEnd(nil)])
    }

    @Test mutating func stoppingWithoutAnAnswer() {
        _ = self.bench.end(.stop)
        // The status comes, the answer does not.
        #expect(self.bench.received(.playing).isEmpty)
        #expect(self.bench.received(.idle).changes == [.didEnd(nil)])
    }

    @Test mutating func suspendingAndResuming() {
        let suspended = self.bench.machine.suspend(.appBackgrounded)
        #expect(suspended.changes == [.didSuspend(.appBackgrounded)])
        #expect(suspended.closes == ["web-1"])
        // The device comes and goes, and no caller resumes the session.
        #expect(self.bench.linkDown().isEmpty)
        #expect(self.bench.linkUp(.playing).isEmpty)
        let first = self.bench.machine.resume(.foreground, isOnline: true)
        #expect(first.changes == [.willResume(.foreground)])
        #expect(first.requests == [.status])
        let second = self.bench.answered(.status, .status(.playing))
        #expect(second.changes == [.didResume(.foreground)])
        #expect(second.ends == [.resume: .noError])
    }

    @Test mutating func whoResumesWhatIsSuspendedAgainIsTold() {
        _ = self.bench.machine.suspend(.networkError)
        _ = self.bench.machine.resume(.foreground, isOnline: true)
        #expect(self.bench.machine.suspend(.appBackgrounded).ends == [.resume: .cancelled])
        // The same while the device is awaited.
        _ = self.bench.machine.resume(.foreground, isOnline: false)
        #expect(self.bench.machine.suspend(.appBackgrounded).ends == [.resume: .cancelled])
    }

    @Test mutating func resumingWhatIsGone() {
        _ = self.bench.machine.suspend(.appBackgrounded)
        _ = self.bench.machine.resume(.foreground, isOnline: true)
        let failed = self.bench.answered(.status, .status(.idle))
        #expect(failed.ends == [.resume: .applicationNotRunning, .end: .applicationNotRunning])
    }

    @Test func restoring() {
        let application = ReceiverStatus.playing.applications[0]
        func restored() -> SessionBench {
            SessionBench(
                machine: SessionStateMachine(
                    restoring: application, app: SessionBench.app, options: LaunchOptions(), isPolite: true,
                    suspendAfter: .seconds(30)))
        }
        var bench = restored()
        let back = bench.linkUp(.playing)
        #expect(back.changes == [.willResume(.restart), .didResume(.restart)])
        #expect(back.connects == ["web-1"])
        #expect(back.requests.isEmpty)
        bench = restored()
        let gone = bench.linkUp(.idle)
        #expect(self.end(gone)?.code == .applicationNotRunning)
        #expect(gone.contains(.forget))
        #expect(gone.requests.isEmpty)
    }

    @Test func whatWasSuspendedOnRequestStaysSo() {
        var bench = SessionBench(
            machine: SessionStateMachine(
                restoring: ReceiverStatus.playing.applications[0], app: SessionBench.app, options: LaunchOptions(),
                suspendReason: .appBackgrounded, isPolite: true, suspendAfter: .seconds(30)))
        #expect(bench.linkUp(.playing).isEmpty)
        #expect(bench.machine.resume(.foreground, isOnline: true).changes == [.willResume(.foreground)])
    }

    @Test mutating func theEndIsTheEnd() {
        _ = self.bench.end(.leave)
        #expect(self.bench.received(.playing).isEmpty)
        #expect(self.bench.linkUp(.playing).isEmpty)
        #expect(self.bench.linkDown().isEmpty)
        #expect(self.bench.timerFired().isEmpty)
        #expect(self.bench.end(.stop).ends == [.end: .noError])
        #expect(self.bench.machine.resume(.foreground, isOnline: true).ends == [.resume: .sessionNotActive])
    }
}
