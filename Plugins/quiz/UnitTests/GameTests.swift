import PluginKit
import Testing

@testable import Quiz

@Suite struct GameTests {
    private let settings: QuizSettings
    private var game: Game
    private let now = PluginInstant(milliseconds: 1_000_000)

    init() throws {
        let questions: JSONValue = [
            ["text": "Capital of France?", "choices": ["Rome", "Paris"], "answer": "Paris"],
            ["text": "2 + 2?", "choices": ["4", "5", "6"], "answer": "4"],
        ]
        self.settings = try QuizSettings(PluginConfiguration(["questions": questions, "seconds": 10, "pause": 4]))
        self.game = Game(device: "lobby", session: "s", settings: self.settings)
    }

    private func later(_ milliseconds: Int) -> PluginInstant { self.now.advanced(by: .milliseconds(milliseconds)) }

    /// Ann and Ben play, and the first question is asked.
    private func begun() throws -> Game {
        var game = self.game
        _ = try game.join(name: "Ann", as: nil)
        _ = try game.join(name: "Ben", as: nil)
        try game.start("p1", now: self.now)
        return game
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        #expect(throws: Rejection.self) { try body() }?.reason
    }

    @Test func whoeverIsBackIsTheSamePlayer() throws {
        var game = try self.begun()
        #expect(try game.join(name: "Ben again", as: "p2").name == "Ben")
        #expect(game.players.count == 2)
        #expect(self.refusal { _ = try game.join(name: "Ann", as: "p9") } == "NAME_TAKEN")
        #expect(self.refusal { _ = try game.join(name: "", as: nil) } == "INVALID_PARAMS")
        #expect(
            self.refusal { _ = try game.join(name: String(repeating: "x", count: 41), as: nil) } == "INVALID_PARAMS")
    }

    @Test func noMoreThanCanBe() throws {
        var game = self.game
        for number in 0..<Game.playerLimit { _ = try game.join(name: "\(number)", as: nil) }
        #expect(self.refusal { _ = try game.join(name: "one more", as: nil) } == "FULL")
    }

    @Test func onlyPlayersStartAndOnlyOnce() throws {
        var game = self.game
        #expect(self.refusal { try game.start("p1", now: self.now) } == "NOT_JOINED")
        game = try self.begun()
        #expect(self.refusal { try game.start("p1", now: self.now) } == "IN_PROGRESS")
    }

    @Test func theSoonerTheBetter() throws {
        var game = try self.begun()
        try game.answer("p1", round: 1, choice: 2, now: self.now)
        #expect(!game.isAnswered)
        try game.answer("p2", round: 1, choice: 2, now: self.later(5_000))
        #expect(game.isAnswered)
        game.moveOn(now: self.later(5_000))
        #expect(game.stage == .result)
        #expect(game.until == self.later(9_000))
        #expect(game.ranking.map(\.points) == [1_000, 750])
    }

    @Test func whatIsWrongOrMissingCountsNothing() throws {
        var game = try self.begun()
        try game.answer("p1", round: 1, choice: 1, now: self.now)
        game.moveOn(now: self.later(10_000))
        #expect(game.ranking.map(\.points) == [0, 0])
        #expect(game.announcement(now: self.now).array("right") == [])
    }

    @Test func answersHaveTheirTime() throws {
        var game = try self.begun()
        #expect(self.refusal { try game.answer("p9", round: 1, choice: 1, now: self.now) } == "NOT_JOINED")
        #expect(self.refusal { try game.answer("p1", round: 2, choice: 1, now: self.now) } == "TOO_LATE")
        for choice in [0, 3, -1, Int.max] {
            #expect(self.refusal { try game.answer("p1", round: 1, choice: choice, now: self.now) } == "INVALID_PARAMS")
        }
        try game.answer("p1", round: 1, choice: 1, now: self.now)
        #expect(self.refusal { try game.answer("p1", round: 1, choice: 2, now: self.now) } == "ANSWERED")
        game.moveOn(now: self.now)
        #expect(self.refusal { try game.answer("p2", round: 1, choice: 1, now: self.now) } == "TOO_LATE")
    }

    @Test func roundsFollowEachOtherToTheEnd() throws {
        var game = try self.begun()
        var stages: [Game.Stage] = []
        for step in 1...4 {
            game.moveOn(now: self.later(step * 1_000))
            stages.append(game.stage)
        }
        #expect(stages == [.result, .asking, .result, .over])
        #expect(game.until == nil)
        game.moveOn(now: self.now)
        #expect(game.stage == .over)
        try game.start("p2", now: self.now)
        #expect(game.stage == .asking && game.round == 0)
    }

    @Test func whoeverLeavesIsNotWaitedFor() throws {
        var game = try self.begun()
        try game.answer("p1", round: 1, choice: 2, now: self.now)
        try game.leave("p2")
        #expect(game.isAnswered)
        #expect(self.refusal { try game.leave("p2") } == "NOT_JOINED")
        // An id is not given twice.
        #expect(try game.join(name: "Cid", as: nil).id == "p3")
    }

    @Test func aGameSurvivesTheStore() throws {
        var game = try self.begun()
        try game.answer("p1", round: 1, choice: 2, now: self.later(123))
        let json = try JSONValueEncoder.encode(game)
        #expect(try JSONValueDecoder.decode(Game.self, from: try JSONReader.read(json.text)) == game)
    }

    @Test func whatTheSchemaCannotCheckIsChecked() {
        let question: JSONValue = ["text": "?", "choices": ["a", "b"], "answer": "c"]
        let problem = #expect(throws: ConfigurationProblem.self) {
            try QuizSettings(PluginConfiguration(["questions": [question]]))
        }
        #expect(problem?.path == "/questions/0/answer")
    }
}
