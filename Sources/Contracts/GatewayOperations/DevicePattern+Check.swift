// What texts are meant as patterns.
extension DevicePattern {
    /// What texts are meant as patterns, as a regular expression of JSON Schema: what has no ``obstacle(in:)``, and no control characters,
    /// which no text of an input may have.
    package static let expression = #"^(\*|\*?([^*?\[\]{}\\\u0000-\u001F\u007F-\u009F]\*?)+)$"#

    /// Why a text cannot be meant as a pattern; nil when it can.
    package static func obstacle(in text: String) -> String? {
        if text.isEmpty { return "must not be empty" }
        if text.utf8.contains("**".utf8) { return "has two stars in a row: '\(text)'" }
        guard let wrong = text.unicodeScalars.first(where: { "?[]{}\\".unicodeScalars.contains($0) }) else {
            return nil
        }
        return "has '\(wrong)', but only * stands for other characters: '\(text)'"
    }
}
