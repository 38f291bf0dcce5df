import PluginKit

/// Someone who plays.
struct Player: Codable, Hashable {
    /// What the player did in the current round.
    struct Answer: Codable, Hashable {
        var choice: Int
        /// When it came.
        var at: PluginInstant
    }

    /// Identifies the player in the player's own messages; other players do not learn it.
    let id: String
    let name: String
    var points = 0
    var answer: Answer?
}
