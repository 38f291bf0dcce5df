import NIOCore
import Testing

@testable import MessageBridges

@Suite struct MQTTLinkStateMachineTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let gone = MQTTReason.timeout("gone")

    private func seconds(_ seconds: Int64) -> NIODeadline { self.start + .seconds(seconds) }

    @Test func anAttemptSubscribesAndOpens() {
        var machine = MQTTLinkStateMachine()
        #expect(machine.receive(.begin, at: self.start) == .connect)
        #expect(machine.receive(.begin, at: self.start) == nil)
        #expect(machine.receive(.subscribed, at: self.start) == nil)
        #expect(machine.receive(.accepted, at: self.start) == .subscribe)
        #expect(!machine.isOpen && machine.deadline == self.seconds(20))
        #expect(machine.receive(.subscribed, at: self.start) == .open)
        #expect(machine.isOpen && machine.deadline == nil)
    }

    @Test func waitsGrowToAMinuteAndALittleMore() {
        var machine = MQTTLinkStateMachine()
        var now = self.start
        _ = machine.receive(.begin, at: now)
        for wait in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Int64] {
            #expect(
                machine.receive(.lost(self.gone, random: 0), at: now)
                    == .close(self.gone, wasOpen: false, retryAfter: .seconds(wait)))
            now = now + .seconds(wait)
            #expect(machine.deadline == now)
            #expect(machine.receive(.timeout(random: 0), at: now) == .connect)
        }
        #expect(
            machine.receive(.lost(self.gone, random: 1), at: now)
                == .close(self.gone, wasOpen: false, retryAfter: .seconds(75)))
    }

    @Test func aConnectionThatHeldBeginsAnewAndOneThatDidNotGoesOn() {
        var machine = MQTTLinkStateMachine()
        func open(at now: NIODeadline) {
            _ = machine.receive(.accepted, at: now)
            _ = machine.receive(.subscribed, at: now)
        }
        _ = machine.receive(.begin, at: self.start)
        open(at: self.start)
        #expect(
            machine.receive(.lost(self.gone, random: 0), at: self.seconds(29))
                == .close(self.gone, wasOpen: true, retryAfter: .seconds(1)))
        _ = machine.receive(.timeout(random: 0), at: self.seconds(30))
        open(at: self.seconds(30))
        #expect(
            machine.receive(.lost(self.gone, random: 0), at: self.seconds(31))
                == .close(self.gone, wasOpen: true, retryAfter: .seconds(2)))
        _ = machine.receive(.timeout(random: 0), at: self.seconds(33))
        open(at: self.seconds(33))
        #expect(
            machine.receive(.lost(self.gone, random: 0), at: self.seconds(63))
                == .close(self.gone, wasOpen: true, retryAfter: .seconds(1)))
    }

    @Test(arguments: [134, 135, 138, 142] as [Int32])
    func whatSomebodyHasToPutRightIsTriedOnceAMinute(code: Int32) {
        var machine = MQTTLinkStateMachine()
        _ = machine.receive(.begin, at: self.start)
        #expect(
            machine.receive(.lost(.code(code), random: 0), at: self.start)
                == .close(.code(code), wasOpen: false, retryAfter: .seconds(60)))
        #expect(machine.receive(.timeout(random: 0), at: self.seconds(60)) == .connect)
        #expect(
            machine.receive(.lost(.code(137), random: 0), at: self.seconds(60))
                == .close(.code(137), wasOpen: false, retryAfter: .seconds(2)))
    }

    @Test func anAttemptHasToEnd() {
        var machine = MQTTLinkStateMachine()
        _ = machine.receive(.begin, at: self.start)
        _ = machine.receive(.accepted, at: self.seconds(19))
        #expect(machine.deadline == self.seconds(20))
        guard case .close(.timeout, wasOpen: false, _) = machine.receive(.timeout(random: 0), at: self.seconds(20))
        else {
            Issue.record("the attempt goes on")
            return
        }
    }

    @Test func theFarewellIsSaidOnceAndNotForEver() {
        var machine = MQTTLinkStateMachine()
        _ = machine.receive(.begin, at: self.start)
        _ = machine.receive(.accepted, at: self.start)
        _ = machine.receive(.subscribed, at: self.start)
        #expect(machine.receive(.stop, at: self.start) == .sayFarewell)
        #expect(machine.deadline == self.seconds(2) && !machine.isOpen)
        #expect(machine.receive(.stop, at: self.start) == nil)
        #expect(machine.receive(.timeout(random: 0), at: self.seconds(2)) == .end)
        #expect(machine.receive(.farewellSaid, at: self.seconds(2)) == nil)
        var waiting = MQTTLinkStateMachine()
        _ = waiting.receive(.begin, at: self.start)
        _ = waiting.receive(.lost(self.gone, random: 0), at: self.start)
        #expect(waiting.receive(.stop, at: self.start) == .end)
    }
}
