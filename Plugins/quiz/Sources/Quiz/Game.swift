import PluginKit

/// The game of one session: who plays, what is asked, who has answered.
///
/// It knows neither the gateway nor a clock: moments are passed in, and what is to be said is returned. So it is easily
/// kept in the store, and easily tested.
struct Game: Codable, Hashable {
    enum Stage: String, Codable {
        /// Players join.
        case lobby
        /// A question may be answered.
        case asking
        /// A result is shown.
        case result
        /// All questions were asked.
        case over
    }

    static let playerLimit = 100
    static let nameLimit = 40

    let device: String
    let session: String
    private(set) var questions: [Question]
    let seconds: Int
    let pause: Int
    private(set) var players: [Player] = []
    private(set) var stage = Stage.lobby
    /// The current question, from 0.
    private(set) var round = 0
    /// When the stage ends by itself; nil when it does not.
    private(set) var until: PluginInstant?
    private var joined = 0
    /// When it was kept last.
    var keptAt = PluginInstant(milliseconds: 0)

    init(device: String, session: String, settings: QuizSettings) {
        self.device = device
        self.session = session
        self.questions = settings.questions
        self.seconds = settings.seconds ?? 20
        self.pause = settings.pause ?? 5
    }

    // MARK: Players

    /// Someone joins, or is back under an id from before.
    mutating func join(name: String, as id: String?) throws(Rejection) -> Player {
        if let known = self.players.first(where: { $0.id == id }) { return known }
        guard !name.isEmpty, name.count <= Self.nameLimit else {
            throw .invalidParameters("a name has 1 to \(Self.nameLimit) letters")
        }
        guard !self.players.contains(where: { $0.name == name }) else {
            throw Rejection("NAME_TAKEN", "\(name) plays already")
        }
        guard self.players.count < Self.playerLimit else { throw Rejection("FULL", "no further player can join") }
        self.joined += 1
        let player = Player(id: "p\(self.joined)", name: name)
        self.players.append(player)
        return player
    }

    mutating func leave(_ id: String) throws(Rejection) {
        self.players.remove(at: try self.index(of: id))
    }

    private func index(of id: String?) throws(Rejection) -> Int {
        guard let index = self.players.firstIndex(where: { $0.id == id }) else {
            throw Rejection("NOT_JOINED", "JOIN comes first")
        }
        return index
    }

    // MARK: Questions

    /// Adds a question, which is asked next.
    /// - Returns: its place, from 0.
    mutating func add(_ question: Question) -> Int {
        let place = self.stage == .lobby ? 0 : min(self.round + 1, self.questions.count)
        self.questions.insert(question, at: place)
        return place
    }

    // MARK: Rounds

    /// The first question; also after the last one, for another game.
    mutating func start(_ player: String?, now: PluginInstant) throws(Rejection) {
        _ = try self.index(of: player)
        guard self.stage == .lobby || self.stage == .over else {
            throw Rejection("IN_PROGRESS", "the game has begun")
        }
        for index in self.players.indices { self.players[index].points = 0 }
        self.ask(0, now: now)
    }

    private mutating func ask(_ round: Int, now: PluginInstant) {
        for index in self.players.indices { self.players[index].answer = nil }
        self.round = round
        self.stage = .asking
        self.until = now.advanced(by: .seconds(self.seconds))
    }

    /// A player answers; once, and in time.
    mutating func answer(_ player: String?, round: Int, choice: Int, now: PluginInstant) throws(Rejection) {
        let index = try self.index(of: player)
        guard self.stage == .asking, round == self.round + 1 else {
            throw Rejection("TOO_LATE", "question \(round) is not asked now")
        }
        guard (1...self.questions[self.round].choices.count).contains(choice) else {
            throw .invalidParameters("there is no choice \(choice)")
        }
        guard self.players[index].answer == nil else { throw Rejection("ANSWERED", "one answer is enough") }
        self.players[index].answer = Player.Answer(choice: choice, at: now)
    }

    /// True when every player has answered.
    var isAnswered: Bool { self.stage == .asking && self.players.allSatisfy { $0.answer != nil } }

    /// The stage ends, and the next begins.
    mutating func moveOn(now: PluginInstant) {
        switch self.stage {
        case .lobby, .over: break
        case .asking:
            for index in self.players.indices { self.players[index].points += self.points(for: self.players[index]) }
            self.stage = .result
            self.until = now.advanced(by: .seconds(self.pause))
        case .result where self.round + 1 < self.questions.count: self.ask(self.round + 1, now: now)
        case .result:
            self.stage = .over
            self.until = nil
        }
    }

    /// What a right answer counts: 500, and up to 500 more the sooner it came.
    private func points(for player: Player) -> Int {
        let question = self.questions[self.round]
        guard let answer = player.answer, let until = self.until, question.choices[answer.choice - 1] == question.answer
        else { return 0 }
        let left = max(0, min(1, answer.at.duration(to: until) / .seconds(self.seconds)))
        return 500 + Int((500 * left).rounded())
    }

    /// The players, the best first.
    var ranking: [Player] { self.players.sorted { ($1.points, $0.name) < ($0.points, $1.name) } }
}
