import CastWire
import CastwayTestSupport
import Foundation
import GatewayFixtures
import Testing

/// The plugins that ship, each in a real gateway with exactly the grant of its README, doing what it is for.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ShippedPluginGatewayTests {
    private static let echo: Namespace = "urn:x-cast:dev.castway.echo"
    private static let quiz: Namespace = "urn:x-cast:dev.castway.quiz"
    private static let playtime: Namespace = "urn:x-cast:dev.castway.playtime"

    private static func isStatus(_ message: CastMessage, _ state: String) -> Bool {
        message.namespace == .media
            && message.payload.jsonObject?.array("status")?.first?.objectValue?.string("playerState") == state
    }

    @Test func echoSaysWhatItHears() async throws {
        try await ShippedStage.run("echo") { stage in
            try await TestSender.connect(to: stage.running.port("kitchen")) { sender in
                let app = try await sender.launch(ShippedStage.app)
                try await sender.send(["type": "HELLO", "requestId": 9, "n": 1.5], in: Self.echo, to: app)
                #expect(try await sender.answer(to: 9) == ["type": "HELLO", "requestId": 9, "n": 1.5])
            }
        }
    }

    @Test func aQuizIsPlayedByTwo() async throws {
        try await ShippedStage.run("quiz") { stage in
            try await TestSender.connect(to: stage.running.port("living-room")) { first in
                let app = try await first.launch(ShippedStage.app)
                try await TestSender.connect(to: stage.running.port("living-room")) { second in
                    _ = try await second.connectPlatform()
                    try await second.send(["type": "CONNECT"], in: .connection, to: app)
                    let one = try await first.join("Ann", in: Self.quiz, at: app)
                    let two = try await second.join("Ben", in: Self.quiz, at: app)
                    try await first.send(["type": "START", "requestId": 11, "player": one], in: Self.quiz, to: app)
                    for sender in [first, second] {
                        let question = try #require(try await sender.receive(type: "QUESTION"))
                        #expect(question.string("text") == "Capital of France?")
                    }
                    for (sender, player, choice) in [(first, one, 2), (second, two, 1)] {
                        try await sender.send(
                            [
                                "type": "ANSWER", "requestId": 12, "player": player, "round": 1,
                                "choice": .number(choice),
                            ], in: Self.quiz, to: app)
                    }
                    for sender in [first, second] {
                        let result = try #require(try await sender.receive(type: "RESULT"))
                        #expect(result.int("round") == 1)
                        #expect(result.string("answer") == "Paris")
                        #expect(result.array("right") == ["Ann"])
                    }
                }
            }
        }
    }

    /// What is done on one screen is done on the other too.
    @Test func aWatchPartyKeepsTwoScreensInStep() async throws {
        try await ShippedStage.run("watch-party") { stage in
            try await TestSender.connect(to: stage.running.port("living-room")) { first in
                try await TestSender.connect(to: stage.running.port("kitchen")) { second in
                    let one = try await first.launchAndLoad()
                    let two = try await second.launchAndLoad()
                    let session = try #require(try await first.playback(at: one, requestID: 9).session)
                    let other = try #require(try await second.playback(at: two, requestID: 9).session)
                    try await first.send(
                        ["type": "PAUSE", "requestId": 10, "mediaSessionId": .number(session)], in: .media, to: one)
                    #expect(try await second.receive { Self.isStatus($0, "PAUSED") } != nil)
                    #expect(try await first.receive { Self.isStatus($0, "PAUSED") } != nil)
                    try await second.send(
                        ["type": "PLAY", "requestId": 11, "mediaSessionId": .number(other)], in: .media, to: two)
                    #expect(try await first.receive { Self.isStatus($0, "PLAYING") } != nil)
                }
            }
        }
    }

    /// When the time is up what plays is paused, and nothing can be started.
    @Test func playtimeIsLimited() async throws {
        let config = "{time_zone: UTC, limits: [{devices: [\"kids-*\"], daily: 1s}]}"
        try await ShippedStage.run("playtime-limits", config: config) { stage in
            try await TestSender.connect(to: stage.running.port("kids-tablet")) { sender in
                let app = try await sender.launchAndLoad()
                #expect(try await sender.receive { Self.isStatus($0, "PAUSED") } != nil)
                #expect(try await sender.receive(type: "PLAYTIME_OVER")?.string("reason") == "DAILY_LIMIT")
                try await sender.send(["type": "GET_PLAYTIME", "requestId": 20], in: Self.playtime, to: app)
                #expect(try await sender.answer(to: 20)?.bool("allowed") == false)
                try await sender.send(
                    ["type": "PLAY", "requestId": 21, "mediaSessionId": 1], in: .media, to: app)
                let refusal = try #require(try await sender.answer(to: 21))
                #expect(refusal.string("type") == "INVALID_REQUEST")
                #expect(refusal.string("reason") == "NOT_ALLOWED")
            }
            // Other screens have no limit.
            try await TestSender.connect(to: stage.running.port("kitchen")) { sender in
                _ = try await sender.launchAndLoad()
            }
        }
    }

    /// What passes is written down, without what must not be.
    @Test func aTranscriptHasWhatPassed() async throws {
        try await ShippedStage.run("transcript") { stage in
            try await TestSender.connect(to: stage.running.port("kitchen")) { sender in
                let app = try await sender.launchAndLoad()
                try await sender.send(
                    ["type": "SAY", "text": "hello", "playerName": "Ann"], in: "urn:x-cast:com.example.chat", to: app)
                _ = try await sender.playback(at: app, requestID: 30)
            }
        } afterwards: { state in
            let text = try String(contentsOfFile: state + "/transcript.jsonl", encoding: .utf8)
            let lines = try text.split(separator: "\n").compactMap { try JSONReader.read(String($0)).objectValue }
            #expect(lines.contains { $0.string("type") == "LOAD" && $0.string("device") == "kitchen" })
            #expect(lines.contains { $0.string("direction") == "to_sender" && $0.string("type") == "MEDIA_STATUS" })
            let said = try #require(lines.first { $0.string("type") == "SAY" }?.object("payload"))
            #expect(said.string("text") == "hello")
            #expect(said.string("playerName") == "[redacted]")
        }
    }
}

extension TestSender {
    /// Launches an app and connects to it; returns where it is.
    fileprivate func launch(_ app: String) async throws -> EndpointID {
        _ = try await self.connectPlatform()
        try await self.send(["type": "LAUNCH", "requestId": 2, "appId": .string(app)], in: .receiver)
        let status = ReceiverStatus(json: try #require(try await self.answer(to: 2)?.object("status")))
        let transport = try #require(status.applications.first?.transportID)
        try await self.send(["type": "CONNECT"], in: .connection, to: transport)
        return transport
    }

    /// Joins a quiz; returns the player.
    fileprivate func join(_ name: String, in namespace: Namespace, at app: EndpointID) async throws -> JSONValue {
        try await self.send(["type": "JOIN", "requestId": 10, "name": .string(name)], in: namespace, to: app)
        return try #require(try await self.answer(to: 10)?["player"])
    }

    /// The next message of a type.
    fileprivate func receive(type: String) async throws -> JSONObject? {
        try await self.receive { $0.payload.jsonObject?.string("type") == type }?.payload.jsonObject
    }
}
