import CastWire
import Foundation
import Testing

@testable import castway

/// What `castway status` prints, for an answer in which everything occurs.
@Suite(.serialized) struct StatusSheetTests {
    private static let now = 1_795_399_506

    private static func ago(_ seconds: Int) -> JSONValue { .number(Self.now - seconds) }

    private static let answer: JSONObject = [
        "name": "Lobby", "version": "0.1.0", "phase": "ready", "time": Self.ago(0),
        "since": Self.ago(90_000),
        "virtual_devices": [
            [
                "name": "hall", "state": "listening", "target": "wall", "target_online": true, "senders": 2,
                "apps": [
                    [
                        "app": "CC1AD845", "display_name": "Default Media Receiver", "since": Self.ago(125),
                        "media": [
                            "player_state": "playing", "since": Self.ago(63), "title": "Big Buck Bunny",
                            "subtitle": "Blender Foundation", "duration": 596, "position": 63.4,
                            "stream_type": "buffered",
                        ],
                    ]
                ],
            ],
            ["name": "attic", "state": "listening", "target": "projector", "target_online": false, "senders": 0],
            ["name": "office", "state": "not listening", "senders": 0, "apps": []],
        ],
        "devices": [
            [
                "name": "wall", "friendly_name": "Wall TV", "state": "online", "since": Self.ago(89_000),
                "address": "192.0.2.17:8009", "model": "Chromecast Ultra", "authentication": ["outcome": "verified"],
            ],
            [
                "name": "projector", "friendly_name": "projector", "state": "offline", "since": Self.ago(600),
                "addresses": ["192.0.2.18:8009"],
            ],
            [
                "name": "9d2b7c1e4f6a48b0a3c5d7e9f1023456", "friendly_name": "Kitchen\u{1B}[2J", "state": "found",
                "addresses": ["192.0.2.19:8009"], "model": "Google Home Mini",
            ],
        ],
        "senders": [
            [
                "device": "hall", "id": "c7", "address": "192.0.2.40", "name": "Pixel 9", "apps": ["CC1AD845"],
                "since": Self.ago(130), "throttled": false,
            ],
            [
                "device": "hall", "id": "c9", "address": "192.0.2.41", "user_agent": "PyChromecast", "apps": [],
                "since": Self.ago(0), "throttled": true,
            ],
        ],
        "sessions": [
            [
                "id": 1, "device": "projector", "app": "ABCD1234", "display_name": "Quiz", "state": "disconnected",
                "suspend_reason": "network_error", "since": Self.ago(4000),
            ]
        ],
        "plugins": [
            ["name": "quiz", "state": "ready", "ready_ms": 4_000_500, "restarts": 0, "rss_bytes": 3_145_728],
            ["name": "crasher", "state": "crashlooped", "restarts": 12],
        ],
        "warnings": [
            [
                "code": "device_offline", "text": "'projector' is out of reach: Connection refused",
                "device": "projector", "since": Self.ago(600),
            ],
            [
                "code": "plugin_looping",
                "text": "'crasher' ends again and again, and is tried at long intervals: it ended with the status 3",
                "plugin": "crasher",
            ],
        ],
    ]

    private func sheet(columns: Int?, isColoured: Bool = false) -> [String] {
        setenv("TZ", "UTC", 1)
        tzset()
        return StatusSheet(Self.answer, width: ScreenWidth(columns: columns), paint: Paint(isColoured: isColoured))
            .lines
    }

    @Test func everythingFitsIntoEightyColumns() {
        let lines = self.sheet(columns: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.joined(separator: "\n") == Self.expected)
    }

    @Test func nothingIsCutWithoutALimit() {
        let text = self.sheet(columns: nil).joined(separator: "\n")
        #expect(text.contains("Kitchen\u{FFFD}[2J (9d2b7c1e4f6a48b0a3c5d7e9f1023456)"))
        #expect(text.contains("Big Buck Bunny, Blender Foundation") && !text.contains("…"))
    }

    /// Colours change no width.
    @Test func coloursAreAddedToTheSameText() {
        let coloured = self.sheet(columns: 80, isColoured: true).joined(separator: "\n")
        #expect(coloured.contains("\u{1B}[32mplaying\u{1B}[0m"))
        #expect(coloured.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == Self.expected)
    }

    @Test func mirroredStreamsAreShownWhereThereAreAny() {
        setenv("TZ", "UTC", 1)
        tzset()
        let stream: JSONObject = [
            "sender": "192.0.2.40", "since": Self.ago(63), "packets": ["to_device": 12_345, "to_sender": 678],
            "dropped": 9,
        ]
        let answer: JSONObject = [
            "name": "Lobby", "version": "0.1.0", "phase": "ready", "time": Self.ago(0), "since": Self.ago(90),
            "virtual_devices": [["name": "hall", "state": "listening", "senders": 1, "streams": [.object(stream)]]],
        ]
        let lines = StatusSheet(answer, width: ScreenWidth(columns: 80), paint: Paint(isColoured: false)).lines
        let text = lines.joined(separator: "\n")
        #expect(
            text.contains(
                """
                MIRRORED STREAMS
                  ON    SENDER      TO DEVICE  BACK  DROPPED  SINCE
                  hall  192.0.2.40  12345      678   9        02:04:03 (1m 3s)
                """))
    }

    @Test func timesAreThoseOfTheDayOrTheDate() {
        setenv("TZ", "UTC", 1)
        tzset()
        let time = LocalTime(now: Self.now)
        #expect(time.since(nil) == "-")
        #expect(time.since(Self.now) == "\(time.text(Self.now)) (0s)")
        #expect(time.since(Self.now + 5).hasSuffix("(0s)"))
        #expect(time.text(0) == "Jan 1 1970 00:00")
        #expect(Duration.clock(3725) == "1:02:05" && Duration.clock(.nan) == "?" && Duration.clock(-1) == "?")
    }

    private static let expected = """
        Lobby (Castway 0.1.0) is ready, runs since Nov 22 01:05 (1d 1h)

        VIRTUAL DEVICES
          NAME    STATE           BEHIND IT  SENDERS  RUNS              SINCE
          hall    listening       wall       2        Default Media R…  02:03:01 (2m 5s)
          attic   target offline  projector  0        -                 -
          office  not listening   built-in   0        -                 -

        PLAYS
          ON    WHAT                             STATE    POSITION      SINCE
          hall  Big Buck Bunny, Blender Founda…  playing  1:03 of 9:56  02:04:03 (1m 3s)

        DEVICES
          NAME      STATE    SINCE                  ADDRESS          MODEL      PROOF
          wall      online   Nov 22 01:21 (1d 43m)  192.0.2.17:8009  Chromeca…  verified
          project…  offline  01:55:06 (10m)         192.0.2.18:8009  -          -
          Kitchen…  found    -                      192.0.2.19:8009  Google H…  -

        SENDERS
          DEVICE  SENDER  ADDRESS                 NAME       USES      SINCE
          hall    c7      192.0.2.40              Pixel 9    CC1AD845  02:02:56 (2m 10s)
          hall    c9      192.0.2.41 (throttled)  PyChrome…  -         02:05:06 (0s)

        SESSIONS
          ID  DEVICE     APP   STATE                        SINCE
          1   projector  Quiz  disconnected: network error  00:58:26 (1h 6m)

        PLUGINS
          NAME     STATE        READY FOR  RESTARTS  MEMORY
          quiz     ready        1h 6m      0         3 MiB
          crasher  crashlooped  -          12        -

        WARNINGS
          ! 'projector' is out of reach: Connection refused, since 01:55:06 (10m)
          ! 'crasher' ends again and again, and is tried at long intervals: it ended
            with the status 3
        """
}
