import PluginKit

/// What the senders are told.
extension Game {
    /// What belongs to the stage: told to all when it begins.
    func announcement(now: PluginInstant) -> JSONObject {
        switch self.stage {
        case .lobby: self.playersAnnouncement
        case .asking:
            [
                "type": "QUESTION", "round": .number(self.round + 1), "rounds": .number(self.questions.count),
                "text": .string(self.questions[self.round].text),
                "choices": .array(self.questions[self.round].choices.map { .string($0) }),
                "secondsLeft": .number(self.secondsLeft(now)),
            ]
        case .result:
            [
                "type": "RESULT", "round": .number(self.round + 1),
                "answer": .string(self.questions[self.round].answer),
                "right": .array(self.rightPlayers.map { .string($0.name) }), "scores": self.scores,
            ]
        case .over: ["type": "FINISHED", "scores": self.scores]
        }
    }

    /// Who plays.
    var playersAnnouncement: JSONObject {
        ["type": "PLAYERS", "players": .array(self.players.map { .string($0.name) })]
    }

    /// How many have answered, so that the others can be hurried.
    var progressAnnouncement: JSONObject {
        [
            "type": "PROGRESS", "round": .number(self.round + 1),
            "answered": .number(self.players.count { $0.answer != nil }), "players": .number(self.players.count),
        ]
    }

    /// Everything, for a player who joins late.
    func state(now: PluginInstant) -> JSONObject {
        var state = self.announcement(now: now)
        state["type"] = "STATE"
        state["stage"] = .string(self.stage.rawValue)
        state["scores"] = self.scores
        return state
    }

    var scores: JSONValue {
        .array(self.ranking.map { ["name": .string($0.name), "points": .number($0.points)] })
    }

    private var rightPlayers: [Player] {
        let question = self.questions[self.round]
        return self.players.filter { $0.answer.map { question.choices[$0.choice - 1] == question.answer } ?? false }
    }

    private func secondsLeft(_ now: PluginInstant) -> Int {
        self.until.map { max(0, (now.duration(to: $0).milliseconds + 999) / 1_000) } ?? 0
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
        Int(self.components.seconds) * 1_000 + Int(self.components.attoseconds / 1_000_000_000_000_000)
    }
}
