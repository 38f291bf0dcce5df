import CastWire
import GatewayConfig
import GatewayOperations
import Testing

@testable import GatewaySettings

/// `media` of `gateway.yaml`: what loads and queues of operations have besides.
@Suite(.timeLimit(.minutes(2))) struct MediaPreferencesTests {
    private static func item(_ letter: String, _ more: JSONObject = [:]) -> JSONValue {
        var item: JSONObject = [
            "media": [
                "contentUrl": .string("http://192.0.2.1/\(letter).mp4"), "contentType": "video/mp4", "duration": 60,
            ]
        ]
        for member in more.members { item[member.name] = member.value }
        return .object(item)
    }

    private static func prefer(_ configuration: inout GatewayConfiguration) {
        configuration.media.preloadTime = .seconds(20)
        var style = TextStyleInput()
        style.fontScale = 1.5
        configuration.media.textStyle = style
    }

    /// What the app says of what it has.
    private static func status(_ bench: DeviceOperationsBench, _ device: String) async throws -> JSONObject {
        let answer = try await bench.call(
            "media.request", ["device": .string(device), "type": "GET_STATUS", "about_media": false])
        return answer.object("reply")?.array("status")?.first?.objectValue ?? [:]
    }

    @Test(arguments: ["hall", "wall", "foyer"]) func whatIsLeftOutIsFilledIn(_ device: String) async throws {
        try await DeviceOperationsBench.with(Self.prefer) { bench in
            try await bench.call("session.start", ["device": .string(device), "app": "CC1AD845"])
            try await bench.call(
                "media.load",
                [
                    "device": .string(device),
                    "queue": [
                        "items": [Self.item("a"), Self.item("b", ["preloadTime": 7])], "startIndex": 0,
                    ],
                ])
            // A status has what plays and what comes next.
            func preloadTimes() async throws -> [Double?] {
                let items = try await Self.status(bench, device).array("items")?.compactMap(\.objectValue) ?? []
                return items.map { $0.double("preloadTime") }
            }
            let loaded = try await preloadTimes()
            #expect(loaded == [20, 7])
            let items = try await bench.call("queue.list", ["device": .string(device)]).array("items") ?? []
            let next = try #require(items.last?.objectValue?["id"])
            try await bench.call(
                "queue.insert", ["device": .string(device), "items": [Self.item("c")], "before": next])
            let inserted = try await preloadTimes()
            #expect(inserted.prefix(2) == [20, 20])
            let status = try await Self.status(bench, device)
            #expect(status.object("media")?.object("textTrackStyle")?.double("fontScale") == 1.5)
        }
    }

    @Test func whatTheCallerSaysWins() async throws {
        try await DeviceOperationsBench.with(Self.prefer) { bench in
            try await bench.play(on: "hall", ["text_style": ["font_scale": 2]])
            let status = try await Self.status(bench, "hall")
            #expect(status.object("media")?.object("textTrackStyle")?.double("fontScale") == 2)
        }
    }

    @Test func withoutThemNothingIsAdded() async throws {
        try await DeviceOperationsBench.with { bench in
            try await bench.play(on: "hall")
            let status = try await Self.status(bench, "hall")
            #expect(status.string("playerState") != nil)
            #expect(status.object("media")?["textTrackStyle"] == nil)
        }
    }
}
