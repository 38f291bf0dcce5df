import CastWire
import Testing

@Suite struct AppIDTests {
    @Test(arguments: ["CC1AD845", "00000000", "ABCDEF01", "MultizoneLeader", "MultizoneFollower"])
    func isValid(_ id: String) {
        #expect(AppID(rawValue: id).isValid)
    }

    @Test(arguments: [
        "", "cc1ad845", "CC1AD84", "CC1AD8455", "CC1AD84G", "CC1AD84é", "multizoneLeader", "CC1AD84\u{FF15}",
    ])
    func isNotValid(_ id: String) {
        #expect(!AppID(rawValue: id).isValid)
    }

    @Test func wellKnownIdsAreValid() {
        let all: [AppID] = [
            .defaultMediaReceiver, .backdrop, .multizoneLeader, .multizoneFollower, .youTube, .youTubeAndroidTV,
            .dashCast,
            .homeAssistantDashboard, .homeAssistantMedia, .audible, .netflix, .bluetoothAudio,
        ]
        #expect(all.filter { !$0.isValid }.isEmpty)
        #expect(AppID.streamingApps.count == 6)
        #expect(AppID.streamingApps.filter { !$0.isValid }.isEmpty)
        #expect(AppID.streamingApps.isDisjoint(with: all))
        #expect(AppID.defaultMediaReceiver.rawValue == "CC1AD845")
        #expect(AppID.backdrop.description == "E8C28D3C")
    }
}
