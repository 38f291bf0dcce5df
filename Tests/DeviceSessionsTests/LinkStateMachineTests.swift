import CastwayTestSupport
import NIOCore
import Testing

@testable import DeviceSessions

@Suite struct LinkStateMachineTests {
    private var link = LinkStateMachine(
        backoff: Backoff(initial: .seconds(1), maximum: .seconds(8), jitter: 0, random: { 0 }))

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    @Test mutating func dialsOnce() {
        #expect(self.link.start() == .dial)
        #expect(self.link.start() == .none)
        #expect(!self.link.isConnected)
    }

    @Test mutating func isOnlineOnlyAfterAnAnswer() {
        _ = self.link.start()
        self.link.answered(at: self.at(0))
        #expect(!self.link.isOnline)
        #expect(self.link.connected(at: self.at(1)) == .wait(until: self.at(11)))
        #expect(self.link.isConnected)
        #expect(!self.link.isOnline)
        self.link.answered(at: self.at(2))
        #expect(self.link.isOnline)
    }

    @Test mutating func givesAChannelUpOnWhichNothingIsAnswered() {
        _ = self.link.start()
        _ = self.link.connected(at: self.at(1))
        #expect(self.link.timerFired(at: self.at(10)) == .none)
        #expect(self.link.timerFired(at: self.at(11)) == .close("the device does not answer"))
    }

    @Test mutating func theTimerOfAnAnsweredChannelMeansNothing() {
        _ = self.link.start()
        _ = self.link.connected(at: self.at(1))
        self.link.answered(at: self.at(2))
        #expect(self.link.timerFired(at: self.at(11)) == .none)
        #expect(self.link.isOnline)
    }

    @Test mutating func waitsLongerFromFailureToFailure() {
        _ = self.link.start()
        #expect(self.link.lost(at: self.at(0)) == .wait(until: self.at(1)))
        #expect(self.link.timerFired(at: self.at(0)) == .none)
        #expect(self.link.timerFired(at: self.at(1)) == .dial)
        #expect(self.link.lost(at: self.at(1)) == .wait(until: self.at(3)))
        #expect(self.link.timerFired(at: self.at(3)) == .dial)
        #expect(self.link.lost(at: self.at(3)) == .wait(until: self.at(7)))
    }

    @Test mutating func aLossIsCountedOnce() {
        _ = self.link.start()
        _ = self.link.lost(at: self.at(0))
        #expect(self.link.lost(at: self.at(0)) == .none)
    }

    @Test mutating func aStableDeviceIsDialledSoonAgain() {
        _ = self.link.start()
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
        _ = self.link.start()
        for _ in 0..<5 {
            _ = self.link.connected(at: self.at(now))
            self.link.answered(at: self.at(now))
            guard case .wait(let until) = self.link.lost(at: self.at(now)) else { break }
            let pause = (until - self.at(now)).nanoseconds / 1_000_000_000
            pauses.append(pause)
            now += pause
            #expect(self.link.timerFired(at: until) == .dial)
        }
        #expect(pauses == [1, 2, 4, 8, 8])
    }

    @Test mutating func stoppingClosesTheChannel() {
        _ = self.link.start()
        _ = self.link.connected(at: self.at(0))
        #expect(self.link.stop() == .close("the gateway stops"))
        #expect(self.link.isStopped)
        #expect(self.link.lost(at: self.at(1)) == .none)
        #expect(self.link.timerFired(at: self.at(100)) == .none)
    }

    @Test mutating func stoppingDuringADialClosesTheChannelThatComes() {
        _ = self.link.start()
        #expect(self.link.stop() == .none)
        #expect(self.link.connected(at: self.at(0)) == .close("the gateway stops"))
        #expect(!self.link.isConnected)
    }

    @Test mutating func stoppingBetweenDialsEndsThem() {
        _ = self.link.start()
        _ = self.link.lost(at: self.at(0))
        #expect(self.link.stop() == .none)
        #expect(self.link.timerFired(at: self.at(1)) == .none)
    }
}
