import CastWire
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct TrackTests {
    private func bench() -> PlayerBench {
        var bench = PlayerBench()
        bench.play([
            "media": PlayerBench.media(
                "a",
                [
                    "tracks": [
                        ["trackId": 1, "type": "AUDIO", "language": "en"],
                        ["trackId": "2", "type": "AUDIO", "language": "de-AT"],
                        ["trackId": 3, "type": "TEXT", "language": "en-US"],
                        ["trackId": 4, "type": "TEXT", "language": "fr"],
                    ]
                ]),
            "activeTrackIds": [1, 99],
        ])
        return bench
    }

    @Test func activeTracksAreReplaced() {
        var bench = self.bench()
        #expect(bench.status()?.activeTrackIDs == [1])
        #expect(bench.command("EDIT_TRACKS_INFO", ["activeTrackIds": ["2", 4]])?.status?.activeTrackIDs == [2, 4])
        #expect(bench.command("EDIT_TRACKS_INFO", ["activeTrackIds": []])?.status?.activeTrackIDs == [])
        #expect(bench.command("EDIT_TRACKS_INFO")?.status?.activeTrackIDs == [])
    }

    @Test(arguments: [[9], [1, 2], [1, 1], ["x"], "x", [1.5]] as [JSONValue])
    func impossibleTracksAreRefused(_ ids: JSONValue) {
        var bench = self.bench()
        #expect(bench.command("EDIT_TRACKS_INFO", ["activeTrackIds": ids])?.reason == "INVALID_PARAMS")
        #expect(bench.status()?.activeTrackIDs == [1])
    }

    @Test func languagesChooseTracks() {
        var bench = self.bench()
        #expect(bench.command("EDIT_TRACKS_INFO", ["language": "en"])?.status?.activeTrackIDs == [1, 3])
        #expect(bench.command("EDIT_TRACKS_INFO", ["language": "fr-CA"])?.status?.activeTrackIDs == [1, 4])
        #expect(bench.command("EDIT_TRACKS_INFO", ["enableTextTracks": false])?.status?.activeTrackIDs == [1])
        #expect(bench.command("EDIT_TRACKS_INFO", ["enableTextTracks": true])?.status?.activeTrackIDs == [1, 3])
        #expect(bench.command("EDIT_TRACKS_INFO", ["language": "ja"])?.reason == "LANGUAGE_NOT_SUPPORTED")
        #expect(
            bench.command("EDIT_TRACKS_INFO", ["language": "ja", "isSuggestedLanguage": true])?.status?.activeTrackIDs
                == [1, 3])
        #expect(bench.command("EDIT_AUDIO_TRACKS", ["language": "de"])?.status?.activeTrackIDs == [3, 2])
        #expect(bench.command("EDIT_AUDIO_TRACKS", ["language": "ja"])?.reason == "LANGUAGE_NOT_SUPPORTED")
        #expect(bench.command("EDIT_AUDIO_TRACKS")?.reason == "INVALID_PARAMS")
    }

    @Test func theStyleStaysWithTheMedia() {
        var bench = self.bench()
        bench.command("EDIT_TRACKS_INFO", ["textTrackStyle": ["fontScale": 1.5]])
        #expect(bench.status()?.media?.textTrackStyle?.fontScale == 1.5)
        bench.command("EDIT_TRACKS_INFO", ["activeTrackIds": [3], "textTrackStyle": .null])
        #expect(bench.status()?.media?.textTrackStyle?.fontScale == 1.5)
        #expect(bench.status()?.items?.first?.media?.textTrackStyle?.fontScale == 1.5)
        #expect(bench.command("EDIT_TRACKS_INFO", ["textTrackStyle": 5])?.reason == "INVALID_PARAMS")
        let long = JSONValue.string(String(repeating: "x", count: 5000))
        #expect(bench.command("EDIT_TRACKS_INFO", ["textTrackStyle": ["x": long]])?.reason == "INVALID_PARAMS")
    }
}
