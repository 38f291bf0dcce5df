/// Why a text is not the value that its key wants.
struct ConfigTextError: Error, Equatable {
    var code: ConfigProblem.Code
    /// What is wrong, as it follows the key's name in a message.
    var words: String
    var hint: String?

    init(_ code: ConfigProblem.Code, _ words: String, hint: String? = nil) {
        self.code = code
        self.words = words
        self.hint = hint
    }
}
