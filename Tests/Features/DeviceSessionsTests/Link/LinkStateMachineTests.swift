import CastwayTestSupport
import NIOCore
import Testing

@testable import DeviceSessions

@Suite struct LinkStateMachineTests {
    private var link = LinkStateMachine(
        backoff: Backoff(initial: .seconds(1), maximum: .seconds(8), jitter: 0, random: { 0 }))

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    @Test mutating func dialsOnce() {
        #expect(self.link.start(at: self.at(0)) == .dial)
        #expect(self.link.start(at: self.at(0)) == .none)
        #expect(!self.link.isConnected)
    }

    @Test mutating func isOnlineOnlyAfterAnAnswer() {
        _ = self.link.start(at: self.at(0))
        self.link.answered(at: self.at(0))
        #expect(!self.link.isOnline)
        #expect(self.link.connected(at: self.at(1)) == .wait(until: self.at(11)))
        #expect(self.link.isConnected)
        #expect(!self.link.isOnline)
        self.link.answered(at: self.at(2))
        #expect(self.link.isOnline)
    }

    @Test mutating func givesAChannelUpOnWhichNothingIsAnswered() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(1))
        #expect(self.link.timerFired(at: self.at(10)) == .none)
        #expect(self.link.timerFired(at: self.at(11)) == .closeSilent)
    }

    @Test mutating func theTimerOfAnAnsweredChannelMeansNothing() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(1))
        self.link.answered(at: self.at(2))
        #expect(self.link.timerFired(at: self.at(11)) == .none)
        #expect(self.link.isOnline)
    }

    @Test mutating func waitsLongerFromFailureToFailure() {
        _ = self.link.start(at: self.at(0))
        #expect(self.link.lost(at: self.at(0)) == .wait(until: self.at(1)))
        #expect(self.link.timerFired(at: self.at(0)) == .none)
        #expect(self.link.timerFired(at: self.at(1)) == .redial)
        #expect(self.link.lost(at: self.at(1)) == .wait(until: self.at(3)))
        #expect(self.link.timerFired(at: self.at(3)) == .redial)
        #expect(self.link.lost(at: self.at(3)) == .wait(until: self.at(7)))
    }

    @Test mutating func aLossIsCountedOnce() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.lost(at: self.at(0))
        #expect(self.link.lost(at: self.at(0)) == .none)
    }

    @Test mutating func aStableDeviceIsDialledSoonAgain() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.lost(at: self.at(0))
        _ = self.link.timerFired(at: self.at(1))
        _ = self.link.connected(at: self.at(1))
        self.link.answered(at: self.at(1))
        #expect(self.link.lost(at: self.at(11)) == .wait(until: self.at(12)))
    }

    /// Otherwise a device that answers and hangs up would be dialled at the shortest pause without end.
    @Test mutating func aDeviceThatHangsUpAtOnceIsNot() {
        var now: Int64 = 0
        var pauses: [Int64] = []
        _ = self.link.start(at: self.at(0))
        for _ in 0..<5 {
            _ = self.link.connected(at: self.at(now))
            self.link.answered(at: self.at(now))
            guard case .wait(let until) = self.link.lost(at: self.at(now)) else { break }
            let pause = (until - self.at(now)).nanoseconds / 1_000_000_000
            pauses.append(pause)
            now += pause
            #expect(self.link.timerFired(at: until) == .redial)
        }
        #expect(pauses == [1, 2, 4, 8, 8])
    }

    @Test mutating func stoppingClosesTheChannel() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(0))
        #expect(self.link.stop() == .close("the gateway stops"))
        #expect(self.link.isStopped)
        #expect(self.link.lost(at: self.at(1)) == .none)
        #expect(self.link.timerFired(at: self.at(100)) == .none)
    }

    @Test mutating func stoppingDuringADialClosesTheChannelThatComes() {
        _ = self.link.start(at: self.at(0))
        #expect(self.link.stop() == .none)
        #expect(self.link.connected(at: self.at(0)) == .close("the gateway stops"))
        #expect(!self.link.isConnected)
    }

    @Test mutating func stoppingBetweenDialsEndsThem() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.lost(at: self.at(0))
        #expect(self.link.stop() == .none)
        #expect(self.link.timerFired(at: self.at(1)) == .none)
    }

    // MARK: Addresses

    @Test mutating func theNextAddressIsTriedAtOnce() {
        _ = self.link.start(at: self.at(0))
        #expect(self.link.lost(at: self.at(1), hasAnother: true) == .dial)
        _ = self.link.connected(at: self.at(1))
        #expect(self.link.lost(at: self.at(2), hasAnother: true) == .dial)
        #expect(self.link.lost(at: self.at(3)) == .wait(until: self.at(3)))
    }

    @Test mutating func aDeviceWithoutAddressIsWaitedFor() {
        _ = self.link.start(at: self.at(0))
        self.link.unresolved()
        #expect(self.link.isUnresolved)
        #expect(self.link.timerFired(at: self.at(1000)) == .none)
        #expect(self.link.resolved(at: self.at(1001)) == .redial)
        #expect(self.link.resolved(at: self.at(1002)) == .none)
    }

    @Test mutating func anAnnouncementEndsThePauseAndBeginsWithTheShortestAgain() {
        _ = self.link.start(at: self.at(0))
        for second in 0..<5 {
            _ = self.link.lost(at: self.at(Int64(second) * 10))
            _ = self.link.timerFired(at: self.at(Int64(second) * 10 + 9))
        }
        #expect(self.link.lost(at: self.at(50)) == .wait(until: self.at(57)))
        #expect(self.link.wake(at: self.at(51)) == .redial)
        // The dial has just begun, so there is nothing to hurry.
        #expect(self.link.wake(at: self.at(51)) == .none)
        #expect(self.link.wake(at: self.at(52)) == .redial)
        #expect(self.link.lost(at: self.at(52)) == .wait(until: self.at(53)))
    }

    @Test mutating func anAnnouncementLeavesAChannelThatAnswersAlone() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(1))
        #expect(self.link.wake(at: self.at(1)) == .none)
        #expect(self.link.wake(at: self.at(3)) == .redial)
        _ = self.link.connected(at: self.at(3))
        self.link.answered(at: self.at(3))
        #expect(self.link.wake(at: self.at(9)) == .none)
        #expect(self.link.isOnline)
    }

    // MARK: Doubt

    @Test mutating func aProbeThatIsAnsweredChangesNothing() {
        _ = self.link.start(at: self.at(0))
        #expect(self.link.probe(at: self.at(0)) == .none)
        _ = self.link.connected(at: self.at(0))
        self.link.answered(at: self.at(0))
        #expect(self.link.probe(at: self.at(5)) == .probe(until: self.at(5) + LinkStateMachine.standbyPatience))
        #expect(self.link.probe(at: self.at(6)) == .none)
        self.link.answered(at: self.at(6))
        #expect(self.link.timerFired(at: self.at(7)) == .none)
        #expect(self.link.isOnline)
    }

    @Test mutating func aProbeThatIsNotAnsweredEndsTheChannel() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(0))
        self.link.answered(at: self.at(0))
        _ = self.link.probe(at: self.at(5))
        #expect(self.link.timerFired(at: self.at(5)) == .none)
        #expect(self.link.timerFired(at: self.at(6)) == .dialStandby(until: self.at(7)))
        #expect(self.link.timerFired(at: self.at(6)) == .none)
        #expect(self.link.timerFired(at: self.at(7)) == .closeSilent)
    }

    @Test mutating func aChannelThatIsReplacedIsFollowedWithoutAPause() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(0))
        self.link.replaced(at: self.at(0))
        #expect(self.link.isConnected, "there is none to replace before the device has answered")
        self.link.answered(at: self.at(0))
        _ = self.link.probe(at: self.at(5))
        self.link.replaced(at: self.at(7))
        #expect(!self.link.isConnected && !self.link.isProbing)
        #expect(self.link.timerFired(at: self.at(7)) == .none)
        #expect(self.link.connected(at: self.at(8)) == .wait(until: self.at(18)))
        self.link.answered(at: self.at(8))
        #expect(self.link.isOnline)
    }

    @Test mutating func theDoubtOfAnAnnouncementIsShorterThanAnyOther() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(0))
        self.link.answered(at: self.at(0))
        let patience = LinkStateMachine.announcedProbeTimeout
        _ = self.link.probe(at: self.at(5))
        let standbyStart = self.at(5) + LinkStateMachine.standbyPatience
        #expect(self.link.probe(at: self.at(5), within: patience) == .probe(until: standbyStart))
        #expect(self.link.timerFired(at: standbyStart) == .dialStandby(until: self.at(5) + patience))
        #expect(self.link.timerFired(at: self.at(5) + patience) == .closeSilent)
    }

    @Test mutating func whateverComesFromTheDeviceEndsTheDoubt() {
        _ = self.link.start(at: self.at(0))
        _ = self.link.connected(at: self.at(0))
        self.link.answered(at: self.at(0))
        _ = self.link.probe(at: self.at(5))
        #expect(self.link.isProbing)
        self.link.heard()
        #expect(!self.link.isProbing)
        #expect(self.link.timerFired(at: self.at(7)) == .none)
    }

    // MARK: Pauses

    @Test mutating func anAttemptThatTookLongIsPauseEnough() {
        _ = self.link.start(at: self.at(0))
        #expect(self.link.lost(at: self.at(5)) == .wait(until: self.at(5)))
        #expect(self.link.timerFired(at: self.at(5)) == .redial)
        #expect(self.link.lost(at: self.at(6)) == .wait(until: self.at(7)))
    }

    @Test mutating func tcpHasLongerAsThePausesGrow() {
        _ = self.link.start(at: self.at(0))
        #expect(self.link.connectPatience == .seconds(1))
        for minute in 0..<3 {
            _ = self.link.lost(at: self.at(Int64(minute) * 60))
            _ = self.link.timerFired(at: self.at(Int64(minute) * 60 + 60))
        }
        #expect(self.link.connectPatience == .seconds(8))
    }
}
