import ArgumentParser

/// Tells a mistyped option from a negative number, where arguments that begin with a dash are taken as values.
enum UnknownOption {
    /// - Throws: `ValidationError` when the text is an option that the command does not have.
    static func check(_ text: String) throws {
        guard text.hasPrefix("-"), let second = text.dropFirst().first, second == "-" || second.isLetter else { return }
        throw ValidationError("Unknown option '\(text)'")
    }
}
