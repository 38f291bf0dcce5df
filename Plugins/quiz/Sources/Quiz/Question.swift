/// A question with the choices that there are.
struct Question: Codable, Hashable {
    var text: String
    var choices: [String]
    /// The one that is right, as it stands among the choices.
    var answer: String
}
