public import PluginKit

/// A game for the phones in front of a screen: questions are asked, and who answers rightly and quickly wins.
///
/// All senders of one session play one game. What changes is stored before it is answered, so a restart
/// of the plugin or the gateway loses nothing: rounds end when they would have ended.
public actor Quiz: CastPlugin {
    static let namespace: Namespace = "urn:x-cast:dev.castway.quiz"
    /// A game that was left alone for so long is over.
    private static let longestSilence = Duration.seconds(24 * 3_600)

    private struct Request: Decodable {
        var player: String?
        var name: String?
        var round: Int?
        var choice: Int?
    }

    private let gateway: PluginGateway
    private let settings: QuizSettings
    private var games: [String: Game] = [:]
    private var timers: [String: PluginTimer] = [:]

    /// Takes the questions.
    public init(_ gateway: PluginGateway) throws {
        self.gateway = gateway
        self.settings = try QuizSettings(gateway.configuration)
    }

    // MARK: Messages

    /// Takes part in the game of the message's session.
    public func handle(_ message: PluginMessage) async throws -> Verdict {
        guard let session = message.session else { throw Rejection("NO_SESSION", "no app runs") }
        let request: Request = try message.decode()
        let now = self.gateway.clock.now
        let key = Self.key(message.device, session)
        var game = self.games[key] ?? Game(device: message.device, session: session, settings: self.settings)
        switch message.type {
        case "JOIN":
            let player = try game.join(name: request.name ?? "", as: request.player)
            try await self.keep(game)
            return .reply(["type": "JOINED", "player": .string(player.id), "game": .object(game.state(now: now))])
                .broadcast(game.playersAnnouncement)
        case "LEAVE":
            try game.leave(request.player ?? "")
            try await self.keep(game)
            return .reply(["type": "LEFT"]).broadcast(game.playersAnnouncement)
        case "START":
            try game.start(request.player, now: now)
            try await self.keep(game)
            await self.announce(game)
            return .reply(["type": "STARTED"])
        case "ANSWER":
            try game.answer(request.player, round: request.round ?? 0, choice: request.choice ?? 0, now: now)
            let isLast = game.isAnswered
            if isLast { game.moveOn(now: now) }
            try await self.keep(game)
            if isLast { await self.announce(game) }
            let reply = Verdict.reply(["type": "THANKS"])
            return isLast ? reply : reply.broadcast(game.progressAnnouncement)
        case "STATE": return .reply(game.state(now: now))
        default: throw Rejection.invalidParameters("no message of the quiz")
        }
    }

    // MARK: Operations

    /// Does what a caller of the gateway wants with the game of a device.
    public func operate(_ call: OperationCall) async throws -> JSONObject {
        let device = call.input.string("device") ?? ""
        let games = self.games.values.filter { $0.device == device && $0.stage != .over }
        guard var game = games.max(by: { $0.keptAt.milliseconds < $1.keptAt.milliseconds }) else {
            throw OperationFailure("no_game", "no game is played on '\(device)'")
        }
        switch call.operation {
        case "ask":
            let choices = call.input.array("choices")?.compactMap(\.stringValue) ?? []
            guard let answer = call.input.string("answer"), (2...6).contains(choices.count), choices.contains(answer)
            else { throw OperationFailure("bad_question", "the answer has to be one of 2 to 6 choices") }
            let place = game.add(
                Question(text: call.input.string("question") ?? "", choices: choices, answer: answer))
            try await self.keep(game)
            return ["round": .number(place + 1), "rounds": .number(game.questions.count)]
        default:
            return [
                "stage": .string(game.stage.rawValue), "round": .number(game.round + 1),
                "rounds": .number(game.questions.count), "scores": game.scores,
            ]
        }
    }

    // MARK: Time

    /// The stage of a game is over, unless something else ended it meanwhile.
    private func timeIsUp(_ key: String, _ stage: Game.Stage, _ round: Int) async {
        guard var game = self.games[key], game.stage == stage, game.round == round else { return }
        game.moveOn(now: self.gateway.clock.now)
        do {
            try await self.keep(game)
        } catch {
            self.gateway.log(.warning, "a restart would lose this: \(error)", ["game": .string(key)])
        }
        await self.announce(game)
    }

    // MARK: State

    private static func key(_ device: String, _ session: String) -> String { "game/\(device)/\(session)" }

    /// Takes a game as it is now: here, in the store, and with a timer for the end of its stage.
    private func keep(_ game: Game) async throws {
        var game = game
        game.keptAt = self.gateway.clock.now
        let key = Self.key(game.device, game.session)
        self.games[key] = game
        self.timers.removeValue(forKey: key)?.cancel()
        if let until = game.until {
            let (stage, round) = (game.stage, game.round)
            self.timers[key] = self.gateway.clock.at(until) { [weak self] in
                await self?.timeIsUp(key, stage, round)
            }
        }
        try await self.gateway.store.put(key, encoding: game)
    }

    private func forget(_ key: String) async throws {
        self.timers.removeValue(forKey: key)?.cancel()
        guard self.games.removeValue(forKey: key) != nil else { return }
        try await self.gateway.store.delete(key)
    }

    /// Tells everybody what the stage of the game is now. Who is not reached is told by the next stage, or by STATE.
    private func announce(_ game: Game) async {
        let text = CastMessage.Payload.json(game.announcement(now: self.gateway.clock.now))
        do {
            try await self.gateway.broadcast(text, namespace: Self.namespace, on: game.device, session: game.session)
            if self.settings.display ?? false {
                try await self.gateway.send(text, namespace: Self.namespace, to: game.device, session: game.session)
            }
            if game.stage == .over {
                try await self.gateway.emit(
                    "quiz.finished",
                    ["device": .string(game.device), "session": .string(game.session), "scores": game.scores])
            }
        } catch {
            self.gateway.log(.warning, "not everybody heard of it: \(error)", ["device": .string(game.device)])
        }
    }

    /// Resumes the games that were under way, and forgets those whose end no player saw.
    public func start(_ snapshot: PluginSnapshot) async throws {
        for key in try await self.gateway.store.keys(prefix: "game/") {
            guard let game = try await self.gateway.store.get(key, as: Game.self),
                game.keptAt.duration(to: self.gateway.clock.now) < Self.longestSilence
            else {
                try await self.gateway.store.delete(key)
                continue
            }
            try await self.keep(game)
        }
    }

    /// A game ends with its session.
    public func event(_ event: PluginEvent) async throws {
        guard event.type == "session.ended", let device = event.data.string("device"),
            let session = event.data.string("session")
        else { return }
        try await self.forget(Self.key(device, session))
    }
}
