extension String {
    /// The text as a message may quote it: at most 60 characters, nothing that moves a terminal's cursor, and no user or password of
    /// a URL.
    var shown: String {
        let scalars = Secret.hidingUsers(in: self).unicodeScalars
        var text = ""
        for scalar in scalars.prefix(60) {
            text.unicodeScalars.append(scalar.isSafeToShow && scalar != "\t" ? scalar : "\u{FFFD}")
        }
        return scalars.count > 60 ? text + "…" : text
    }

    /// `a`, `a or b`, `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension Unicode.Scalar {
    /// True if a terminal shows it without acting on it: no control and no change of writing direction.
    var isSafeToShow: Bool {
        switch self.value {
        case 0x09: true
        case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }
}
