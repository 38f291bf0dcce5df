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

    @Test(
        arguments: [
            ["type": "MULTIZONE_STATUS"], ["type": "MULTIZONE_STATUS", "status": .null],
            ["type": "MULTIZONE_STATUS", "status": ["devices": .null]],
            ["type": "MULTIZONE_STATUS", "status": ["devices": [.null]]],
            ["type": "MULTIZONE_STATUS", "status": ["devices": [:]]],
        ] as [JSONObject])
    mutating func whatTellsNoMembersIsNoEmptyGroup(_ json: JSONObject) {
        _ = self.members.update(.status(devices: [self.device("a")]))
        #expect(self.members.update(MultizonePayload(json: json)) == false)
        #expect(self.members.devices == [self.device("a")])
    }

    @Test mutating func whatAMemberLeavesOutStays() {
        _ = self.members.update(.status(devices: [self.device("a")]))
        let volume: JSONObject = ["type": "DEVICE_UPDATED", "device": ["deviceId": "a", "volume": ["level": 0.2]]]
        #expect(self.members.update(MultizonePayload(json: volume)) == true)
        #expect(self.members.devices == [self.device("a", level: 0.2)])
        let nothing: JSONObject = [
            "type": "DEVICE_UPDATED", "device": ["deviceId": "a", "volume": .null, "name": .null],
        ]
        #expect(self.members.update(MultizonePayload(json: nothing)) == false)
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
