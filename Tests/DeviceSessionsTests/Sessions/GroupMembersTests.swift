import CastWire
import GatewayCore
import Testing

@testable import DeviceSessions

@Suite struct GroupMembersTests {
    private var members = GroupMembers()

    private func device(_ id: String, level: Double = 0.5) -> MultizoneDevice {
        MultizoneDevice(deviceID: id, name: id, capabilities: 4, volume: ReceiverVolume(level: level, muted: false))
    }

    @Test mutating func membersComeChangeAndGo() {
        #expect(self.members.update(.status(devices: [self.device("a"), self.device("b")])) == true)
        #expect(self.members.update(.status(devices: [self.device("a"), self.device("b")])) == false)
        #expect(self.members.update(.deviceAdded(self.device("c"))) == true)
        #expect(self.members.update(.deviceUpdated(self.device("a", level: 0.1))) == true)
        #expect(self.members.update(.deviceRemoved(deviceID: "b")) == true)
        #expect(self.members.update(.deviceRemoved(deviceID: "b")) == false)
        #expect(self.members.devices == [self.device("a", level: 0.1), self.device("c")])
    }

    @Test mutating func thereAreNotMoreThanAnyGroupHas() {
        for number in 0..<500 { _ = self.members.update(.deviceAdded(self.device("\(number)"))) }
        #expect(self.members.devices.count == 128)
    }

    @Test func aStatusTellsWhatHasChanged() {
        var digest = StatusDigest(nil)
        #expect(digest.update(.playing) == [.volume(level: 0.5, muted: false), .activeInput(true), .standby(false)])
        #expect(digest.update(.idle).isEmpty)
        let off = ReceiverStatus(
            application: nil, volume: ReceiverVolume(level: 0.7, muted: false), isActiveInput: nil, isStandBy: true)
        #expect(digest.update(off) == [.volume(level: 0.7, muted: false), .activeInput(nil), .standby(true)])
    }

    @Test(arguments: [
        (CastSessionChange.didStart, CastSessionChange.Word.started), (.didResume(.network), .resumed),
        (.didEnd(nil), .ended), (.didSuspend(.networkError), .ended),
        (.didFailToStart(SessionFailure(.timeout, "")), .failedToStart), (.alreadyConnected, .alreadyConnected),
    ])
    func fiveWordsAreEnoughForSome(change: CastSessionChange, word: CastSessionChange.Word) {
        #expect(change.word == word)
        #expect(CastSessionChange.willStart.word == nil)
    }
}
