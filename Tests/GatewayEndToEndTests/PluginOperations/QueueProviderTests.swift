import CastWire
import CastwayTestSupport
import GatewayFixtures
import Testing

/// The items of an app's queue come from a plugin that ships, when they are wanted.
@Suite(.serialized, .timeLimit(.minutes(3))) struct QueueProviderTests {
    private static func file(_ queue: String) -> String {
        """
        virtual_devices:
          - name: hall
            listen: 127.0.0.1:0
            publish: false
            target: local
            apps:
              CC1AD845: {player: simulated, queue: \(queue)}
        plugins:
          directory: PLUGINS
          instances:
            - name: radio
              plugin: radio
              start_timeout: 60s
              config: {ahead: 2, tracks: [{url: "http://192.0.2.1/a.mp3", seconds: 100}, {url: "http://192.0.2.1/b.mp3"}]}
        """
    }

    private static func run(
        _ queue: String = "{provider: {plugin: radio}, deadline: 10s, status_limit: 5}",
        _ body: (TestSender, EndpointID) async throws -> Void
    ) async throws {
        try await ProviderStage.run("radio", file: Self.file(queue)) { stage in
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                try await body(sender, try await sender.launchAndLoad())
            }
        }
    }

    private static func ask(
        _ sender: TestSender, _ id: Int, _ type: String, _ more: JSONObject = [:], at app: EndpointID
    ) async throws -> JSONObject {
        var json: JSONObject = ["type": .string(type), "requestId": .number(id), "mediaSessionId": 1]
        for member in more.members { json[member.name] = member.value }
        try await sender.send(json, in: .media, to: app)
        return try #require(try await sender.answer(to: id))
    }

    private static func addresses(_ items: [JSONValue]?) -> [String] {
        (items ?? []).compactMap { $0.objectValue?.object("media")?.string("contentId") }
    }

    @Test func whatIsLoadedIsFollowedByTheProvidersItems() async throws {
        try await Self.run { sender, app in
            let status = try await Self.ask(sender, 10, "GET_STATUS", at: app).array("status")?.first?.objectValue
            #expect(
                Self.addresses(status?.array("items")) == [
                    "http://192.0.2.1/film.mp4", "http://192.0.2.1/a.mp3", "http://192.0.2.1/b.mp3",
                ])
            #expect(status?.object("queueData")?.string("name") == "Radio")
        }
    }

    @Test func theQueueGrowsAtItsEnd() async throws {
        try await Self.run { sender, app in
            #expect(try await Self.ask(sender, 10, "QUEUE_GET_ITEM_IDS", at: app).array("itemIds")?.count == 3)
            for id in [11, 12] { _ = try await Self.ask(sender, id, "QUEUE_NEXT", at: app) }
            let change = try #require(
                try await sender.receive { $0.payload.jsonObject?.string("changeType") == "INSERT" }?.payload.jsonObject
            )
            let ids = try #require(change.array("itemIds"))
            #expect(ids.count == 2)
            let items = try await Self.ask(sender, 20, "QUEUE_GET_ITEMS", ["itemIds": .array(ids)], at: app)
            #expect(Self.addresses(items.array("items")) == ["http://192.0.2.1/a.mp3", "http://192.0.2.1/b.mp3"])
        }
    }

    @Test func sendersLookBeyondTheEnd() async throws {
        try await Self.run { sender, app in
            let ids = try await Self.ask(sender, 10, "QUEUE_GET_ITEM_IDS", at: app).array("itemIds")
            let range = try await Self.ask(
                sender, 11, "QUEUE_GET_ITEM_RANGE", ["itemId": try #require(ids?.first), "nextCount": 5], at: app)
            #expect(range.string("type") == "QUEUE_ITEMS")
            #expect(
                Self.addresses(range.array("items"))
                    == (0..<5).map { "http://192.0.2.1/\($0 % 2 == 0 ? "a" : "b").mp3" })
        }
    }

    @Test func theProviderMixes() async throws {
        try await Self.run { sender, app in
            let before = try await Self.ask(sender, 10, "QUEUE_GET_ITEM_IDS", at: app).array("itemIds") ?? []
            _ = try await Self.ask(sender, 11, "QUEUE_SHUFFLE", ["shuffle": true], at: app)
            let after = try await Self.ask(sender, 12, "QUEUE_GET_ITEM_IDS", at: app).array("itemIds") ?? []
            // What plays stays, and the others are the provider's.
            #expect(after.count == 3)
            #expect(after.first == before.first)
            #expect(Set(after.dropFirst()).isDisjoint(with: before))
        }
    }

    @Test func withoutAnAnswerTheQueueStaysAsItIs() async throws {
        try await Self.run("{provider: {plugin: radio}, deadline: 1ms}") { sender, app in
            let loaded = try await Self.ask(sender, 10, "QUEUE_GET_ITEM_IDS", at: app).array("itemIds")?.count ?? 0
            #expect(loaded >= 1)
            let shuffled = try await Self.ask(sender, 11, "QUEUE_SHUFFLE", ["shuffle": true], at: app)
            #expect(shuffled.string("type") == "MEDIA_STATUS")
        }
    }
}
