import PluginKit

/// What stands under `config` in `gateway.yaml`.
struct QuizSettings: Decodable, Hashable {
    /// What is asked, in this order.
    var questions: [Question]
    /// How long each question may be answered, in seconds.
    var seconds: Int?
    /// How long a result is shown before the next question comes, in seconds.
    var pause: Int?
    /// Whether the app on the screen is told too.
    var display: Bool?

    /// Reads the settings, and checks what the schema cannot.
    init(_ configuration: PluginConfiguration) throws(ConfigurationProblem) {
        self = try configuration.decode()
        for (index, question) in self.questions.enumerated() where !question.choices.contains(question.answer) {
            throw ConfigurationProblem(
                path: "/questions/\(index)/answer", message: "'\(question.answer)' is none of the choices",
                suggestion: question.choices.first)
        }
    }
}
