import PluginKit

/// Someone who plays.
struct Player: Codable, Hashable {
    /// What the player did in the current round.
    struct Answer: Codable, Hashable {
        var choice: Int
        /// When it came.
        var at: PluginInstant
    }

    /// By which the player's own messages say who they are from; nobody else learns it.
    let id: String
    let name: String
    var points = 0
    var answer: Answer?
}
