import BuiltInReceiver
import CastWire
import GatewayConfig
import GatewayOperations
import GatewaySettings
import Testing
import VirtualDevices

/// What callers have devices do, on a real device, on a virtual one that plays by itself, and on one that relays.
@Suite(.timeLimit(.minutes(3))) struct DeviceOperationsTests {
    static let devices = ["wall", "hall", "foyer"]
    /// 66,000 bytes in base64.
    private static let manyBytes = String(repeating: "AAAA", count: 22_000)

    private static func reference(_ device: String) -> JSONValue { .string(device) }

    @Test(arguments: Self.devices) func aDevicePlays(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let name = Self.reference(device)
            let loaded = try await bench.play(
                on: device,
                [
                    "metadata": ["metadataType": 0, "title": "A film"],
                    "tracks": [
                        ["trackId": 1, "type": "TEXT", "subtype": "SUBTITLES", "language": "en", "name": "English"]
                    ],
                    "position": 20, "custom_data": ["who": "test"],
                ])
            #expect(loaded.string("content_url") == "http://192.0.2.1/film.mp4")
            #expect(loaded.string("title") == "A film")
            #expect(loaded.string("kind") == (device == "wall" ? "real" : "virtual"))
            let paused = try await bench.call("media.pause", ["device": name])
            #expect(paused.string("player_state") == "paused")
            #expect(paused.double("position") ?? 0 >= 20)
            #expect(try await bench.call("media.play", ["device": name]).string("player_state") == "playing")
            let sought = try await bench.call("media.seek", ["device": name, "position": 90, "resume": "pause"])
            #expect(sought.double("position") == 90)
            #expect(sought.string("player_state") == "paused")
            #expect(try await bench.call("media.seek", ["device": name, "by": -30]).double("position") == 60)
            #expect(try await bench.call("media.rate", ["device": name, "rate": 1.5]).double("playback_rate") == 1.5)
            let quiet = try await bench.call("media.stream_volume", ["device": name, "level": 0.25, "muted": true])
            #expect(quiet.double("stream_level") == 0.25)
            #expect(quiet.bool("stream_muted") == true)
            let tracks = try await bench.call("media.tracks", ["device": name, "active": [1]])
            #expect(tracks.array("active_tracks") == [1])
            try await bench.call("media.text_style", ["device": name, "style": ["font_scale": 1.5]])
            let status = try await bench.call("media.status", ["device": name, "whole": true])
            #expect(status.object("status")?.string("playerState") == "PAUSED")
            let stopped = try await bench.call("media.stop", ["device": name])
            #expect(["idle", "unknown"].contains(stopped.string("player_state")), "\(stopped)")
            let nothing = try await bench.problem("media.play", ["device": name])
            // A status may still tell of what has ended, and then it is the app that refuses.
            #expect(["no_media_session", "invalid_media_player_state"].contains(nothing?.code))
        }
    }

    @Test(arguments: Self.devices) func aQueueIsChanged(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let name = Self.reference(device)
            func item(_ letter: String) -> JSONValue {
                [
                    "media": [
                        "contentUrl": .string("http://192.0.2.1/\(letter).mp4"), "contentType": "video/mp4",
                        "duration": 60, "metadata": ["metadataType": 0, "title": .string(letter)],
                    ]
                ]
            }
            try await bench.call("session.start", ["device": name, "app": "CC1AD845"])
            try await bench.call(
                "media.load", ["device": name, "queue": ["items": .array(["a", "b"].map(item)), "startIndex": 0]])
            try await bench.call("queue.insert", ["device": name, "items": .array(["c", "d", "e"].map(item))])
            func list(_ more: JSONObject = [:]) async throws -> (ids: [Int], titles: [String], page: JSONObject) {
                var input: JSONObject = ["device": name]
                for member in more.members { input[member.name] = member.value }
                let page = try await bench.call("queue.list", input)
                let items = page.array("items")?.compactMap(\.objectValue) ?? []
                return (items.compactMap { $0.int("id") }, items.compactMap { $0.string("title") }, page)
            }
            let first = try await list()
            #expect(first.titles == ["a", "b", "c", "d", "e"])
            #expect(first.page.int("total") == 5)
            #expect(first.page.bool("complete") == true)
            let part = try await list(["offset": 1, "limit": 2])
            #expect(part.titles == ["b", "c"])
            #expect(part.page.int("total") == 5)
            let ids = first.ids.map { JSONValue.number($0) }
            try await bench.call("queue.move", ["device": name, "items": [ids[4]], "before": ids[1]])
            #expect(try await list().titles == ["a", "e", "b", "c", "d"])
            try await bench.call("queue.remove", ["device": name, "items": [ids[2], ids[3]]])
            #expect(try await list().titles == ["a", "e", "b"])
            #expect(
                try await bench.call("queue.jump", ["device": name, "item": ids[1]]).int("item_id") == first.ids[1])
            #expect(try await bench.call("queue.previous", ["device": name]).int("item_id") == first.ids[4])
            #expect(try await bench.call("queue.next", ["device": name]).int("item_id") == first.ids[1])
            let repeated = try await bench.call("queue.repeat", ["device": name, "mode": "all"])
            #expect(repeated.string("repeat_mode") == "all")
            try await bench.call(
                "queue.update", ["device": name, "items": [["itemId": ids[0], "preloadTime": 7]]])
            try await bench.call("queue.shuffle", ["device": name])
            #expect(Set(try await list().titles) == ["a", "b", "e"])
        }
    }

    @Test(arguments: Self.devices) func anAppIsAskedForWhatNoOtherOperationAsksFor(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let name = Self.reference(device)
            try await bench.call("session.start", ["device": name, "app": "CC1AD845"])
            let item: JSONValue = [
                "autoplay": false,
                "media": ["contentId": "http://192.0.2.9/a.mp4", "contentType": "video/mp4", "duration": 60],
            ]
            let loaded = try await bench.call(
                "media.load", ["device": name, "autoplay": "by_item", "queue": ["items": [item], "startIndex": 0]])
            #expect(loaded.string("player_state") == "paused")
            let told = try await bench.call("media.request", ["device": name, "type": "DISPLAY_STATUS"])
            #expect(told.object("reply")?.string("type") == "MEDIA_STATUS")
            #expect(told.double("age").map { (0..<60).contains($0) } == true)
            let refused = try await bench.problem("media.request", ["device": name, "type": "PLAY_STRING"])
            #expect(refused?.status == 422 && refused?.members.string("reason") == "INVALID_PARAMS")
            let spoken = try await bench.call(
                "media.request", ["device": name, "type": "PLAY_STRING", "body": ["stringId": "WELCOME"]])
            #expect(spoken.object("reply")?.string("type") == "MEDIA_STATUS")
            let status = try await bench.call(
                "media.request", ["device": name, "type": "GET_STATUS", "body": ["options": 0], "about_media": false])
            #expect(status.string("content_id") == "http://192.0.2.9/a.mp4")
            let caller = Caller(name: "guest", scopes: [.control], devices: nil)
            for input: JSONObject in [
                ["device": name, "type": "SET_CREDENTIALS", "body": ["credentials": "x"]],
                ["device": name, "type": "LOAD", "body": ["atvCredentials": "x"]],
            ] {
                let problem = try await bench.problem("media.request", input, for: caller)
                #expect(problem?.code == "scope_missing")
            }
        }
    }

    @Test(arguments: Self.devices) func aDeviceIsMadeLouder(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let name = Self.reference(device)
            let set = try await bench.call("volume.set", ["device": name, "level": 0.5])
            #expect(set.double("level") == 0.5)
            let louder = try await bench.call("volume.set", ["device": name, "by": 0.25, "muted": true])
            #expect(louder.double("level") == 0.75)
            #expect(louder.bool("muted") == true)
            let step = try #require(try await bench.call("volume.get", ["device": name]).double("step"))
            let quieter = try await bench.call("volume.set", ["device": name, "steps": -2, "muted": "toggle"])
            #expect(abs((quieter.double("level") ?? 0) - (0.75 - 2 * step)) < 0.001)
            #expect(quieter.bool("muted") == false)
            #expect(try await bench.call("volume.set", ["device": name, "muted": "toggle"]).bool("muted") == true)
            #expect(try await bench.call("volume.set", ["device": name, "by": 1]).double("level") == 1)
            let got = try await bench.call("volume.get", ["device": name, "members": true])
            #expect(got.double("level") == 1)
            #expect(got.bool("muted") == true)
            #expect(got.array("members") == [])
            let missing = try await bench.problem("volume.set", ["device": name, "level": 1, "member": "kitchen"])
            #expect(missing?.code == "unknown_member")
        }
    }

    /// The device takes the request, and changes nothing.
    @Test func aFixedLevelIsNotChanged() async throws {
        try await DeviceOperationsBench.with { configuration in
            for index in configuration.virtualDevices.indices where configuration.virtualDevices[index].name == "hall" {
                configuration.virtualDevices[index].volume = VolumeConfiguration { $0.control = .fixed }
            }
        } _: { bench in
            let refused = try await bench.problem("volume.set", ["device": "hall", "level": 0.5])
            #expect(refused?.code == "unsupported_feature")
        }
    }

    @Test(arguments: Self.devices) func anAppIsSentMessages(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let name = Self.reference(device)
            let none = try await bench.problem(
                "message.send", ["device": name, "namespace": "urn:x-cast:com.example.echo", "text": "hello"])
            #expect(none?.code == "application_not_running")
            let session = try await bench.call("session.start", ["device": name, "app": "ABCD1234"])
            let input: JSONObject = [
                "device": name, "namespace": "urn:x-cast:com.example.echo", "json": ["question": 42],
                "answer_within": 20,
                "session_id": session["session_id"] ?? .null,
            ]
            let answer = try await bench.call("message.send", input).object("answer")
            #expect(answer?.int("question") == 42)
            try await bench.call(
                "message.send", ["device": name, "namespace": "urn:x-cast:com.example.echo", "bytes": "AAEC"])
            for namespace in ["tp.connection", "receiver", "media", "multizone"] {
                let reserved = try await bench.problem(
                    "message.send",
                    ["device": name, "namespace": .string("urn:x-cast:com.google.cast.\(namespace)"), "text": "{}"])
                #expect(reserved?.code == "reserved_namespace")
            }
            for operation in [OperationName("message.send"), "message.broadcast"]
            where device != "wall" || operation == "message.send" {
                let unlisted = try await bench.problem(
                    operation, ["device": name, "namespace": "urn:x-cast:com.example.unlisted", "text": "hello"])
                #expect(unlisted?.code == "unsupported_namespace" && unlisted?.status == 409)
                for (key, text) in [("text", String(repeating: "x", count: 65_000)), ("bytes", Self.manyBytes)] {
                    let long = try await bench.problem(
                        operation, ["device": name, "namespace": "urn:x-cast:com.example.echo", key: .string(text)])
                    #expect(long?.code == "message_too_big" && long?.status == 413)
                }
            }
            let broadcast = try await bench.problem(
                "message.broadcast", ["device": name, "namespace": "urn:x-cast:com.example.echo", "text": "to all"])
            #expect(broadcast?.code == (device == "wall" ? "not_virtual" : nil))
            let alone = try await bench.problem(
                "message.send_to_sender",
                ["device": name, "sender": "c0", "namespace": "urn:x-cast:com.example.echo", "text": "to one"])
            #expect(alone?.code == (device == "wall" ? "not_virtual" : "unknown_sender"))
        }
    }

    @Test(arguments: Self.devices) func aSessionLives(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let started = try await bench.call("session.start", ["device": Self.reference(device), "app": "CC1AD845"])
            let session = try #require(started["session_id"])
            // Once more, it is the same session; and it may be joined by its id.
            let again = try await bench.call("session.start", ["device": Self.reference(device), "app": "CC1AD845"])
            #expect(again["session_id"] == session)
            let joined = try await bench.call(
                "session.start", ["device": Self.reference(device), "session_id": session])
            #expect(joined["session_id"] == session)
            #expect(try await bench.call("session.get", ["session": session])["session_id"] == session)
            try await bench.play(on: device, ["position": 30])
            let snapshot = try await bench.call("session.snapshot", ["session": session])
            #expect(snapshot.object("state")?.object("loadRequestData")?.double("currentTime") ?? 0 >= 30)
            try await bench.call("media.stop", ["device": Self.reference(device)])
            let restored = try await bench.call(
                "session.restore", ["session": session, "state": snapshot["state"] ?? .null, "level": 0.5])
            #expect(restored.double("position") ?? 0 >= 30)
            let suspended = try await bench.problem("session.suspend", ["session": session])
            #expect(suspended?.code == (device == "wall" ? nil : "not_real"))
            if device == "wall" {
                let waiting = try await bench.call("session.get", ["session": started["id"] ?? .null])
                #expect(waiting.string("suspend_reason") != nil)
                #expect(
                    try await bench.call("session.resume", ["session": session]).string("state") == "connected")
            }
            let ended = try await bench.call("session.end", ["session": session, "stop": true])
            #expect(ended.string("state") == "disconnected")
            let gone = try await bench.problem("session.get", ["session": session])
            // One of the gateway's own is known for a while after its end.
            #expect(gone?.code == (device == "wall" ? nil : "unknown_session"))
            let refused = try await bench.problem(
                "session.start", ["device": Self.reference(device), "app": "00000001"])
            #expect(refused?.code == "not_allowed")
            let unjoined = try await bench.problem(
                "session.start", ["device": Self.reference(device), "session_id": "none"])
            #expect(unjoined?.code == "join_session_mismatch")
            let idle = try await bench.problem(
                "session.start", ["device": Self.reference(device), "app": "CC1AD845", "join": true])
            #expect(idle?.code == "application_not_running")
            try await bench.call("session.start", ["device": Self.reference(device), "app": "CC1AD845"])
            let other = try await bench.problem(
                "session.start", ["device": Self.reference(device), "app": "ABCD1234", "join": true])
            #expect(other?.code == "join_application_mismatch")
            #expect(other?.members.string("running_app") == "CC1AD845")
            let found = try await bench.call(
                "session.start", ["device": Self.reference(device), "app": "CC1AD845", "join": true])
            #expect(found.string("app") == "CC1AD845")
        }
    }
}
