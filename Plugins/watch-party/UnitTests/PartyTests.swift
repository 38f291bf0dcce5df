import PluginKit
import Testing

@testable import WatchParty

@Suite struct PartyTests {
    /// A party of three, told statuses in words.
    private struct Room {
        var party = Party(
            PartySettings.Party(name: "film", devices: ["a", "b", "c"]), tolerance: 2, settle: .seconds(5))
        /// Seconds since the beginning.
        var time = 0.0

        private var now: PluginInstant { PluginInstant(milliseconds: 1_000_000 + Int(self.time * 1_000)) }

        mutating func hear(
            _ device: String, _ state: PlayerState, _ position: Double, content: String? = "film", load: Int = 1,
            commands: SupportedMediaCommands = []
        ) -> [String] {
            var status = MediaStatus()
            status.mediaSessionID = load
            status.playerState = state
            status.currentTime = position
            status.supportedMediaCommands = commands
            if let content {
                var media = MediaInformation()
                media.contentID = content
                status.media = media
            }
            return self.party.hear(status, from: device, session: "s-\(device)", now: self.now).map(Self.text)
        }

        private static func text(_ command: PartyCommand) -> String {
            switch command.action {
            case .play: "\(command.device) play"
            case .pause: "\(command.device) pause"
            case .seek(let position, let plays): "\(command.device) \(plays ? "play" : "pause") at \(position)"
            }
        }
    }

    /// All three play, and are in step at 100 seconds.
    private func playing() -> Room {
        var room = Room()
        for device in ["a", "b", "c"] { #expect(room.hear(device, .playing, 100).isEmpty) }
        return room
    }

    @Test func aPauseFollowsAndDoesNotEcho() {
        var room = self.playing()
        room.time = 10
        #expect(room.hear("b", .paused, 110) == ["a pause", "c pause"])
        room.time = 10.2
        // What was on its way when the order came, and what comes of it.
        #expect(room.hear("a", .playing, 110.2).isEmpty)
        #expect(room.hear("c", .paused, 110.1).isEmpty)
        room.time = 10.5
        #expect(room.hear("a", .paused, 110.4).isEmpty)
        room.time = 60
        for device in ["a", "b", "c"] { #expect(room.hear(device, .paused, 110.3).isEmpty) }
        #expect(room.hear("c", .playing, 110.1) == ["a play", "b play"])
    }

    @Test func aSeekFollows() {
        var room = self.playing()
        room.time = 1
        #expect(room.hear("a", .playing, 300) == ["b play at 300.0", "c play at 300.0"])
        room.time = 1.5
        #expect(room.hear("b", .playing, 101.5).isEmpty)
        #expect(room.hear("b", .buffering, 300).isEmpty)
        room.time = 3
        #expect(room.hear("b", .playing, 300).isEmpty)
        #expect(room.hear("c", .playing, 302).isEmpty)
    }

    @Test func aSeekThatWaitsForDataFollowsAtOnceAndIsTheMeasure() {
        var room = self.playing()
        room.time = 1
        #expect(room.hear("a", .buffering, 300) == ["b play at 300.0", "c play at 300.0"])
        room.time = 2
        #expect(room.hear("b", .playing, 300).isEmpty)
        #expect(room.hear("c", .playing, 301).isEmpty)
        // It took its time: the others are ahead, and come back to it.
        room.time = 6
        #expect(room.hear("a", .playing, 300) == ["b play at 301.0", "c play at 300.0"])
    }

    @Test func nobodyIsToldTwice() {
        var room = self.playing()
        room.time = 1
        #expect(room.hear("a", .buffering, 300) == ["b play at 300.0", "c play at 300.0"])
        room.time = 2
        #expect(room.hear("a", .playing, 300).isEmpty)
        #expect(room.hear("b", .buffering, 300).isEmpty)
        room.time = 3
        #expect(room.hear("b", .playing, 300).isEmpty)
    }

    @Test func aSeekWhilePausedStaysPaused() {
        var room = self.playing()
        #expect(room.hear("a", .paused, 100) == ["b pause", "c pause"])
        for device in ["b", "c"] { #expect(room.hear(device, .paused, 100).isEmpty) }
        room.time = 5
        #expect(room.hear("b", .paused, 50) == ["a pause at 50.0", "c pause at 50.0"])
    }

    @Test func whoWaitsForDataIsNobodysWishAndComesAfterTheOthersOnce() {
        var room = self.playing()
        room.time = 20
        #expect(room.hear("b", .buffering, 120).isEmpty)
        room.time = 26
        #expect(room.hear("b", .playing, 120) == ["b play at 126.0"])
        room.time = 30
        // It needed four seconds for that, and is not chased now.
        #expect(room.hear("b", .playing, 126).isEmpty)
        room.time = 31
        #expect(room.hear("b", .playing, 127).isEmpty)
        room.time = 41.5
        // The next time it is sent ahead by as much.
        #expect(room.hear("b", .playing, 137.5) == ["b play at 145.5"])
        room.time = 45.5
        #expect(room.hear("b", .playing, 145.5).isEmpty)
        room.time = 90
        #expect(room.hear("b", .playing, 190).isEmpty)
    }

    @Test func whoComesLateGoesByTheOthers() {
        var room = Room()
        #expect(room.hear("a", .playing, 100).isEmpty)
        room.time = 50
        #expect(room.hear("b", .buffering, 0).isEmpty)
        room.time = 52
        #expect(room.hear("b", .playing, 0) == ["b play at 152.0"])
        room.time = 60
        #expect(room.hear("a", .paused, 160) == ["b pause at 160.0"])
        room.time = 70
        #expect(room.hear("c", .playing, 3) == ["c pause at 160.0"])
    }

    @Test func otherContentIsLeftAlone() {
        var room = self.playing()
        #expect(room.hear("c", .playing, 0, content: "news", load: 2).isEmpty)
        room.time = 5
        #expect(room.hear("a", .paused, 105) == ["b pause"])
        #expect(room.hear("c", .paused, 5, content: nil, load: 2).isEmpty)
        #expect(room.party.references.count == 2)
        // The news are over, and the film again.
        #expect(room.hear("c", .playing, 0, content: "film", load: 3) == ["c pause at 105.0"])
        #expect(room.party.references.count == 1)
    }

    @Test func whoStopsLeavesAndNothingIsKept() {
        var room = self.playing()
        for device in ["a", "b", "c"] { #expect(room.hear(device, .idle, 0).isEmpty) }
        #expect(room.party.members.isEmpty && room.party.references.isEmpty)
        // A new evening begins where it begins.
        #expect(room.hear("a", .playing, 0, load: 2).isEmpty)
    }

    @Test func whatADeviceCannotDoIsNotAsked() {
        var room = Room()
        #expect(room.hear("a", .playing, 100).isEmpty)
        #expect(room.hear("b", .playing, 5, commands: .pause).isEmpty)
        room.time = 4
        #expect(room.hear("a", .paused, 104) == ["b pause"])
        #expect(room.hear("c", .playing, 9, commands: .streamVolume).isEmpty)
    }

    @Test func smallDriftIsNoWish() {
        var room = self.playing()
        for second in stride(from: 10.0, through: 600, by: 10) {
            room.time = second
            #expect(room.hear("a", .playing, 100 + second).isEmpty)
            #expect(room.hear("b", .playing, 100 + second * 0.998).isEmpty)
        }
    }

    @Test func whatWasNotDoneInTimeIsAskedAgain() {
        var room = self.playing()
        #expect(room.hear("a", .paused, 100) == ["b pause", "c pause"])
        room.time = 3
        #expect(room.hear("b", .playing, 103).isEmpty)
        room.time = 16
        #expect(room.hear("b", .playing, 116) == ["b pause at 100.0"])
    }

    @Test func oneDeviceIsInOneParty() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try PartySettings(
                PluginConfiguration([
                    "parties": [["name": "x", "devices": ["a", "b"]], ["name": "y", "devices": ["c", "a"]]]
                ]))
        }
        #expect(problem?.path == "/parties/1/devices/1")
    }
}
