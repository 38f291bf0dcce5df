import Testing

@testable import Passthrough

@Suite struct SpliceStateMachineTests {
    private func opened() -> SpliceStateMachine {
        var machine = SpliceStateMachine()
        _ = machine.handle(.hello(isTLS: true))
        _ = machine.handle(.dialled)
        return machine
    }

    @Test func theDeviceIsDialledOnlyForTLS() {
        var machine = SpliceStateMachine()
        #expect(machine.reads(.sender) && !machine.reads(.device))
        let dial = machine.handle(.hello(isTLS: true))
        #expect(dial == [.dial])
        // What the sender says further waits in the kernel.
        #expect(!machine.reads(.sender))
        let open = machine.handle(.dialled)
        #expect(open == [.open])
        #expect(machine.reads(.sender) && machine.reads(.device))

        var garbage = SpliceStateMachine()
        let end = garbage.handle(.hello(isTLS: false))
        #expect(end == [.end(.notTLS)])
    }

    @Test func eachEndIsToldThatTheOtherHasNoMoreToSay() {
        var machine = self.opened()
        let first = machine.handle(.inputEnded(.sender))
        #expect(first == [.endOutput(.device)])
        #expect(!machine.reads(.sender) && machine.reads(.device))
        let told = machine.handle(.outputEnded(.device))
        #expect(told == [])
        let second = machine.handle(.inputEnded(.device))
        #expect(second == [.endOutput(.sender)])
        let last = machine.handle(.outputEnded(.sender))
        #expect(last == [.end(.closed(by: .sender))])
        let late = machine.handle(.lost(.device))
        #expect(late == [])
    }

    @Test func whatWaitsStillReachesTheOtherEndOfOneThatIsGone() {
        var machine = self.opened()
        let lost = machine.handle(.lost(.device))
        #expect(lost == [.endOutput(.sender)])
        let end = machine.handle(.outputEnded(.sender))
        #expect(end == [.end(.closed(by: .device))])
    }

    @Test func anEndThatTalksToNothingIsCut() {
        var machine = self.opened()
        _ = machine.handle(.inputEnded(.sender))
        let end = machine.handle(.lost(.sender))
        #expect(end == [.end(.closed(by: .sender))])
    }

    @Test func aSenderThatLeavesWhileTheDeviceIsDialledIsToldOn() {
        var machine = SpliceStateMachine()
        _ = machine.handle(.hello(isTLS: true))
        let left = machine.handle(.inputEnded(.sender))
        #expect(left == [])
        let open = machine.handle(.dialled)
        #expect(open == [.open, .endOutput(.device)])
    }

    @Test func thereIsOneReason() {
        var machine = self.opened()
        let cut = machine.handle(.cut(.deviceMoved))
        #expect(cut == [.end(.deviceMoved)])
        for event: SpliceStateMachine.Event in [
            .cut(.deviceAway), .failed(.sender, "x"), .lost(.device), .inputEnded(.sender), .dialled,
        ] {
            let more = machine.handle(event)
            #expect(more == [])
        }
    }

    @Test func anEndThatHasNoMoreToSayMayHangUpAsItLikes() {
        var machine = self.opened()
        _ = machine.handle(.inputEnded(.sender))
        let end = machine.handle(.failed(.sender, "Connection reset by peer"))
        #expect(end == [.end(.closed(by: .sender))])
        var other = self.opened()
        let failed = other.handle(.failed(.device, "Connection reset by peer"))
        #expect(failed == [.end(.failed(.device, "Connection reset by peer"))])
    }
}
