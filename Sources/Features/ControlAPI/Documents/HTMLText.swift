extension String {
    /// The text as HTML that says it, in an element or an attribute.
    var escaped: String {
        var html = ""
        for character in self.unicodeScalars {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(character)
            }
        }
        return html
    }

    /// The text as HTML in which what stands in backticks is code.
    var inline: String {
        let parts = self.split(separator: "`", omittingEmptySubsequences: false).map { String($0).escaped }
        // A backtick without a second one is a backtick.
        guard parts.count % 2 == 1 else { return self.escaped }
        return parts.enumerated().map { $0 % 2 == 1 ? "<code>\($1)</code>" : $1 }.joined()
    }

    /// The text as paragraphs of HTML, which empty lines part.
    var paragraphs: String {
        self.split(separator: "\n\n").map { "<p>\(String($0).inline)</p>" }.joined(separator: "\n")
    }
}
