import ArgumentParser
import CastClient
import CastWire
import Testing

@testable import castway

/// What `castway cast check` takes and prints.
@Suite struct CastCheckCommandTests {
    @Test func itTakesWhatALoadTakes() throws {
        let words = [
            "cast", "check", "hall", "http://a/1.mp4", "http://a/2.mp4", "--subtitles", "de=http://a/1.vtt", "--json",
        ]
        let command = try Castway.parseAsRoot(words) as? CastCheckCommand
        let load = try #require(command?.load)
        #expect(load.urls == ["http://a/1.mp4", "http://a/2.mp4"] && load.target.json)
        let items = load.command.body.object("queueData")?.array("items")
        #expect(items?.count == 2)
        #expect(throws: (any Error).self) { try Castway.parseAsRoot(["cast", "check", "hall"]) }
        #expect(throws: (any Error).self) { try Castway.parseAsRoot(["cast", "check", "hall", "--entity", "a:b"]) }
    }

    @Test func eachAddressHasALineAndEachFindingOneBelowIt() {
        let answer: JSONObject = [
            "fine": false, "left_out": 2,
            "urls": [
                ["role": "media", "url": "http://a/1.mp4", "fine": true, "findings": []],
                [
                    "role": "media", "url": "http://a/2.mp4", "fine": true,
                    "findings": [["code": "no_ranges", "severity": "warning", "text": "no parts"]],
                ],
                [
                    "role": "track", "url": "http://a/1.vtt", "fine": false,
                    "findings": [["code": "no_cors", "severity": "error", "text": "missing"]],
                ],
            ],
        ]
        #expect(
            CastCheckCommand.lines(answer) == [
                "fine: media http://a/1.mp4", "warning: media http://a/2.mp4", "  no_ranges: no parts",
                "error: track http://a/1.vtt", "  no_cors: missing", "2 more addresses were not asked.",
            ])
        #expect(CastCheckCommand.lines(["fine": true]) == ["The load names no address that can be asked."])
    }
}
