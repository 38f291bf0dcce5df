import CastWire
public import GatewayCore
import Synchronization

/// Keeps the score of a game in the namespace `urn:x-cast:com.example.scoreboard`.
///
/// `{"type":"SCORE","requestId":1,"team":"red","points":2}` is answered with `{"type":"TOTAL","requestId":1,"team":"red","total":2}`.
/// Everything else passes on. At most 16 teams are kept, and a message adds or takes at most 1,000 points: what senders say
/// must not make the handler grow.
public final class ScoreboardHandler: MessageHandler {
    /// What `gateway.yaml`, logs and traces call it.
    public let name = "scoreboard"
    /// The namespace that it owns.
    public let claims = [Claim(.exact("urn:x-cast:com.example.scoreboard"))]

    private static let maximumTeams = 16
    private let totals = Mutex<[String: Int]>([:])

    /// Makes a scoreboard without teams.
    public init() {}

    /// Answers a score with the total, and passes everything else on.
    public func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
        guard message.summary.type == "SCORE", let score = message.message.payload.jsonObject,
            let team = score.string("team"), let points = score.int("points"), (-1_000...1_000).contains(points)
        else { return .pass }
        let total = self.totals.withLock { totals -> Int? in
            guard totals[team] != nil || totals.count < Self.maximumTeams else { return nil }
            totals[team, default: 0] += points
            return totals[team]
        }
        guard let total else { return .pass }
        return .reply([
            "type": "TOTAL", "requestId": message.summary.requestID?.json ?? .null, "team": .string(team),
            "total": .number(total),
        ])
    }
}
