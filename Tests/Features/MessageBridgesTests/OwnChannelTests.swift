import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayOperations
import NIOCore
import NamespaceHandlers
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import MessageBridges

/// What happens to the channels of the gateway's own session with a real device: callers open and close them, readers, back ends and the
/// broker are told.
@Suite(.serialized, .timeLimit(.minutes(3))) struct OwnChannelTests {
    private static let quiz = OwnSessionStage.quiz
    private static let echo = OwnSessionStage.echo

    /// Reads events of a gateway as they come.
    private struct Reader {
        let feed: any EventFeed
        let wakes: Inbox<Void>

        init(_ gateway: Gateway, _ topics: [EventTopics.Topic]) throws {
            let wakes = Inbox<Void>()
            self.wakes = wakes
            self.feed = try gateway.journal.subscribe(to: EventTopics(topics), from: nil, for: .admin) { wakes.put(()) }
        }

        /// The next event of a type.
        func next(_ type: String) async throws -> JSONObject {
            while true {
                let frames = self.feed.take(upTo: 1)
                if frames.isEmpty { _ = try #require(await self.wakes.next()) }
                for frame in frames where frame.kind == .event {
                    let event = try #require(try JSONReader.read(frame.bytes).objectValue)
                    if event.string("type") == type { return event }
                }
            }
        }
    }

    @Test func callersOpenAndCloseChannels() async throws {
        try await OwnSessionStage.with { stage in
            let channel: JSONObject = ["device": "wall", "namespace": .string(Self.quiz.rawValue)]
            func listed() async throws -> [String: String] {
                let channels = try await stage.call("channels.list", ["device": "wall"]).array("channels") ?? []
                return Dictionary(
                    channels.compactMap(\.objectValue).map { ($0.string("namespace") ?? "", $0.string("state") ?? "") },
                    uniquingKeysWith: { $1 })
            }
            #expect(try await stage.call("channel.close", channel).string("state") == "closed")
            #expect(try await listed() == [:])
            // Without a session there is nothing to join.
            guard case .failure(let problem) = await stage.near.operations.call("channel.open", channel, for: .admin)
            else {
                Issue.record("a channel to no app")
                return
            }
            #expect(problem.code == "application_not_running")
            try await stage.begin()
            // Of messages in a namespace without a reader no event is made, until a caller opens the channel.
            let reader = try Reader(stage.near, [.init(type: DevicePattern("channel.*"))])
            try await stage.say(["type": "UNHEARD"])
            _ = try await stage.ask()
            let opened = try await stage.call("channel.open", channel)
            #expect(opened.string("state") == "connected" && opened.bool("writable") == true)
            let connected = try await reader.next("channel.connected")
            #expect(connected.string("device") == "wall")
            #expect(connected.object("data")?.int("session") == opened.int("session"))
            let named = try Reader(
                stage.near, [.init(type: DevicePattern("channel.message"), namespace: Self.quiz.rawValue)])
            try await stage.say(["type": "HEARD"])
            let heard = try #require(try await named.next("channel.message").object("data"))
            #expect(heard.string("via") == "own" && heard.object("json")?.string("type") == "HEARD")
            #expect(try await listed() == [Self.quiz.rawValue: "connected"])
            // What comes in a channel that is closed no reader hears.
            #expect(try await stage.call("channel.close", channel).string("state") == "closed")
            #expect(try await reader.next("channel.disconnected").object("data")?.string("reason") == "it was closed")
            try await stage.say(["type": "HIDDEN"])
            _ = try await stage.ask()
            _ = try await stage.call("channel.open", channel)
            try await stage.say(["type": "AGAIN"])
            // The virtual device that relays to the wall tells of the message before, too.
            var again: JSONObject?
            while again?.string("via") != "own" { again = try await named.next("channel.message").object("data") }
            #expect(again?.object("json")?.string("type") == "AGAIN")
            let unlisted = try await stage.call(
                "channel.open", ["device": "wall", "namespace": "urn:x-cast:com.example.unlisted"])
            #expect(unlisted.string("state") == "unsupported" && unlisted.bool("writable") == false)
            // They go with the session.
            let id = try #require(opened.int("session"))
            try await stage.call("session.end", ["session": .number(id)])
            #expect(try await reader.next("channel.disconnected").string("device") == "wall")
            try await stage.begin()
            #expect(try await listed() == [:])
        }
    }

    /// What the configuration names is open from the beginning of a session, and listed without one.
    @Test func channelsOfTheConfigurationOpenByThemselves() async throws {
        let channel = ChannelConfiguration(namespace: "urn:x-cast:com.example.*") { $0.legs = [.own] }
        try await OwnSessionStage.with(channels: [channel]) { stage in
            let reader = try Reader(stage.near, [.init(type: DevicePattern("channel.*"))])
            try await stage.begin()
            var namespaces: Set<String> = []
            for _ in 0..<2 {
                namespaces.insert(
                    try await reader.next("channel.connected").object("data")?.string("namespace") ?? "")
            }
            #expect(namespaces == [Self.echo.rawValue, Self.quiz.rawValue])
            let listed = try await stage.call("channels.list", [:]).array("channels")?.compactMap(\.objectValue) ?? []
            #expect(Set(listed.compactMap { $0.string("namespace") }) == namespaces)
            #expect(listed.allSatisfy { $0.string("state") == "connected" && $0.bool("opened") == false })
        }
    }

    /// A device that does not read is told of as not writable, and what happens to channels reaches back ends and the broker.
    @Test func channelEventsReachBackEndsAndTheBroker() async throws {
        let channel = ChannelConfiguration(namespace: Self.quiz.rawValue) { $0.legs = [.own] }
        try await OwnSessionStage.with(channels: [channel], events: ["channel.*"]) { stage in
            let peer = try await MQTTPeer(stage.broker)
            let topic = stage.topics.event(device: "wall")
            try await peer.subscribe(topic)
            func told(_ type: String) async throws -> [JSONObject] {
                let request = try #require(
                    await stage.backEnd.requests.next {
                        String(buffer: $0.body).contains("\"\(type)\"") ? $0 : nil
                    })
                let posted = try #require(try JSONReader.read(request.body).objectValue)
                let published = try await peer.next { $0.topic == topic && $0.object.string("type") == type }
                return [posted, published.object]
            }
            try await stage.begin()
            var number = 0
            for event in try await told("channel.connected") {
                let data = try #require(event.object("data"))
                #expect(event.string("device") == "wall" && data.string("namespace") == Self.quiz.rawValue)
                #expect(data.bool("writable") == true)
                number = try #require(data.int("session"))
            }
            for isWritable in [false, true] {
                stage.near.events.channels.note(isWritable: isWritable, ofSession: number)
                for event in try await told("channel.writable") {
                    #expect(event.object("data")?.bool("writable") == isWritable)
                }
            }
            try await stage.call("session.end", ["session": .number(number)])
            for event in try await told("channel.disconnected") {
                #expect(event.object("data")?.int("session") == number)
            }
        }
    }
}
