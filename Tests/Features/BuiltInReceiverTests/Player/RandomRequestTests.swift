import CastWire
import CastwayTestSupport
import GatewayConfig
import NIOCore
import Testing

@testable import BuiltInReceiver

/// Thousands of requests, sensible and not, from a seeded generator: none traps, each is answered once.
@Suite struct RandomRequestTests {
    private static let types = [
        "LOAD", "LOAD", "LOAD_BY_ENTITY", "PLAY", "PLAY", "PAUSE", "STOP", "SEEK", "SEEK", "GET_STATUS", "SET_VOLUME",
        "SET_PLAYBACK_RATE", "EDIT_TRACKS_INFO", "EDIT_AUDIO_TRACKS", "QUEUE_LOAD", "QUEUE_INSERT", "QUEUE_INSERT",
        "QUEUE_INSERT", "QUEUE_UPDATE", "QUEUE_UPDATE", "QUEUE_REMOVE", "QUEUE_REORDER", "QUEUE_NEXT", "QUEUE_PREV",
        "QUEUE_SHUFFLE", "QUEUE_GET_ITEM_IDS", "QUEUE_GET_ITEMS", "QUEUE_GET_ITEM_RANGE", "SKIP_AD", "PRELOAD",
        "PRECACHE", "SET_CREDENTIALS", "USER_ACTION", "DISPLAY_STATUS", "FOCUS_STATE", "CUSTOM_COMMAND", "PLAY_AGAIN",
        "PLAY_STRING", "CLOUD_STATUS", "REFRESH_CREDENTIALS", "EXECUTE_ACTION_SCRIPT", "STORE_SESSION",
        "RESUME_SESSION", "NONSENSE",
    ]
    private static let fields = [
        "currentTime", "relativeTime", "resumeState", "options", "volume", "playbackRate", "relativePlaybackRate",
        "activeTrackIds", "language", "enableTextTracks", "textTrackStyle", "items", "itemIds", "itemId", "startIndex",
        "insertBefore", "currentItemId", "currentItemIndex", "jump", "repeatMode", "shuffle", "nextCount", "prevCount",
        "userAction", "entity", "queueData", "media", "autoplay", "sessionState", "customData",
    ]

    private struct Source {
        var generator: SeededGenerator
        var next = 1
        let garbage: [JSONValue]

        init(seed: UInt64) throws {
            self.generator = SeededGenerator(seed: seed)
            self.garbage = try [
                "1e999", "-1e999", "1e-320", "9223372036854775807", "-9223372036854775808", "99999999999999999999",
                "-1",
                "0.5", "null", "true", "[]", "{}", "\"\"", "\"nan\"", "[[[[]]]]", "[1e999]", "[{}]",
                "{\"level\":-1e999}",
                "{\"items\":[null,{}]}",
            ].map { try JSONReader.read($0) }
        }

        mutating func one<Element>(of elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &self.generator)]
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }
        mutating func chance(_ percent: Int) -> Bool { self.number(1...100) <= percent }

        mutating func media() -> JSONValue {
            var media: JSONObject = [
                "contentId": .string(self.one(of: ["a", "fail", "brittle", "http://h/x.m3u8", "rtsp://h"]))
            ]
            if self.chance(50) {
                media["duration"] = self.one(of: [.number(self.number(1...200)), self.one(of: self.garbage)])
            }
            if self.chance(20) { media["streamType"] = self.one(of: ["LIVE", "NONE", .null]) }
            if self.chance(30) {
                media["tracks"] = [
                    ["trackId": 1, "type": "AUDIO", "language": "en"], ["trackId": "2", "type": "TEXT"], 3,
                ]
            }
            if self.chance(30) {
                media["breaks"] = [
                    ["id": "p", "position": 0, "breakClipIds": ["c", "d"]], ["position": -1, "breakClipIds": ["d"]],
                    ["position": self.one(of: self.garbage), "breakClipIds": ["c"]],
                    ["position": 30, "breakClipIds": ["d", "d"], "duration": self.one(of: self.garbage)],
                ]
                media["breakClips"] = [
                    ["id": "c", "duration": 5, "whenSkippable": 2],
                    ["id": "d", "duration": self.one(of: self.garbage)],
                ]
            }
            return .object(media)
        }

        mutating func items() -> JSONValue {
            .array(
                (0..<self.number(0...6)).map { _ in
                    var item: JSONObject = ["media": self.media()]
                    for name in ["startTime", "playbackDuration", "preloadTime", "autoplay"] where self.chance(15) {
                        item[name] = self.one(of: self.garbage)
                    }
                    return .object(item)
                })
        }

        mutating func value(_ name: String) -> JSONValue {
            if self.chance(15) { return self.one(of: self.garbage) }
            return switch name {
            case "media": self.media()
            case "items": self.items()
            case "queueData":
                ["items": self.items(), "startIndex": .number(self.number(0...3)), "repeatMode": "REPEAT_ALL"]
            case "repeatMode": self.one(of: ["REPEAT_OFF", "REPEAT_ALL", "REPEAT_SINGLE", "REPEAT_ALL_AND_SHUFFLE"])
            case "itemIds", "activeTrackIds": .array((0..<self.number(0...4)).map { _ in .number(self.number(0...60)) })
            case "volume": ["level": .number(self.number(0...1))]
            case "userAction": self.one(of: ["LIKE", "SKIP_AD"])
            case "language": self.one(of: ["en", "xx"])
            case "resumeState": self.one(of: ["PLAYBACK_START", "PLAYBACK_PAUSE"])
            case "sessionState": ["loadRequestData": ["media": self.media(), "currentTime": 5]]
            case "enableTextTracks", "shuffle", "autoplay": .bool(self.chance(50))
            default: .number(self.number(-3...60))
            }
        }

        mutating func request(_ type: String, session: Int) -> JSONObject {
            var payload: JSONObject = ["type": .string(type)]
            if self.chance(90) {
                payload["requestId"] = .number(self.next)
                self.next += 1
            } else {
                payload["requestId"] = self.one(of: [0, .null, [], 0.0])
            }
            if self.chance(90) {
                payload["mediaSessionId"] = self.chance(95) ? .number(session) : self.one(of: self.garbage)
            }
            let typical: [String] =
                switch type {
                case "LOAD": ["media"]
                case "QUEUE_LOAD", "QUEUE_INSERT": ["items"]
                case "SEEK": ["currentTime"]
                case "RESUME_SESSION": ["sessionState"]
                default: []
                }
            for name in typical { payload[name] = self.value(name) }
            for _ in 0..<self.number(0...3) {
                let name = self.one(of: RandomRequestTests.fields)
                payload[name] = self.value(name)
            }
            return payload
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func eachRequestIsAnsweredOnce(_ seed: UInt64) throws {
        var source = try Source(seed: seed)
        let failures = [
            SimulatedFailure(match: Glob("fail")) { $0.after = .milliseconds(500) },
            SimulatedFailure(match: Glob("brittle")) {
                $0.stage = .playback
                $0.after = .seconds(9)
            },
        ]
        let instant = seed == 4
        var player = SimulatedPlayer(
            options: SimulationOptions {
                $0.loadDelay = instant ? .zero : .milliseconds(200)
                $0.buffering = instant ? .zero : .milliseconds(100)
                $0.failures = failures
            },
            shuffleSeed: seed)
        var now: NIODeadline = .uptimeNanoseconds(5)
        var asked: Set<Int> = []
        var answered: [Int: Int] = [:]
        var playedStates: Set<String> = []
        var ended: Set<Int> = []
        func look(_ actions: [SimulatedPlayer.Action]) {
            for action in actions {
                switch action {
                case .reply(let payload, let sender):
                    #expect(sender == "s")
                    answered[payload.int("requestId") ?? -1, default: 0] += 1
                case .broadcast(let payload):
                    guard let status = payload.status else { break }
                    #expect(payload["requestId"] == 0)
                    playedStates.insert(status.label)
                    let id = status.mediaSessionID ?? 0
                    #expect(!ended.contains(id), "media session \(id) came back")
                    if status.playerState == .idle, status.extendedStatus == nil { ended.insert(id) }
                    let time = status.currentTime ?? -1
                    #expect(time >= 0 && time.isFinite)
                case .statusText, .ask: break
                }
            }
        }
        for _ in 0..<4_000 {
            let type = source.one(of: Self.types)
            if type == "STOP", source.chance(80) { continue }
            let payload = source.request(type, session: player.session?.id ?? 1)
            if let id = payload.int("requestId"), id != 0 { asked.insert(id) }
            look(player.handle(payload, from: "s", at: now))
            #expect((player.session?.queue.count ?? 0) <= PlayerQueue.maximumCount)
            if source.chance(60) {
                let deadline = player.nextDeadline ?? now
                now = source.chance(50) ? max(now, deadline) : now + .milliseconds(Int64(source.number(0...20_000)))
                look(player.timerFired(at: now))
            }
        }
        // What still waits is answered by the next load.
        asked.insert(1_000_000)
        asked.insert(1_000_001)
        for id in [1_000_000, 1_000_001] {
            look(
                player.handle(
                    ["type": "LOAD", "requestId": .number(id), "media": ["contentId": "a"]], from: "s", at: now))
        }
        look(player.timerFired(at: now + .seconds(1)))
        #expect(Set(answered.keys) == asked)
        #expect(answered.values.allSatisfy { $0 == 1 })
        #expect(playedStates.isSuperset(of: ["PLAYING", "PAUSED", "IDLE/FINISHED", "IDLE/ERROR", "IDLE/INTERRUPTED"]))
        #expect(ended.count > 50)
    }

    @Test func deepAndLongValuesAreNoTrouble() throws {
        let depth = JSONReader.maximumDepth - 4
        let deep = try JSONReader.read(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        var bench = PlayerBench()
        bench.play(["media": PlayerBench.media("a", ["customData": deep]), "customData": deep])
        #expect(bench.statuses.last?.media?.customData == deep)
        let numbers = JSONValue.array((0..<20_000).map { .number($0) })
        for type in ["QUEUE_REMOVE", "QUEUE_REORDER", "QUEUE_GET_ITEMS", "EDIT_TRACKS_INFO"] {
            let reply = bench.command(type, ["itemIds": numbers, "activeTrackIds": numbers, "textTrackStyle": deep])
            #expect(reply != nil)
        }
        #expect(bench.send("RESUME_SESSION", ["sessionState": deep])?.reason == "INVALID_PARAMS")
        let long = JSONValue.string(String(repeating: "7", count: 50_000))
        let reply = bench.sendRaw(["type": "LOAD", "requestId": long])
        #expect(reply?["requestId"] == long)
    }
}
