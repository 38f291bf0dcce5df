extension String {
    /// The text as a terminal may show it: what devices and files say moves no cursor and ends no line.
    var printable: String {
        var text = ""
        for scalar in self.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with blanks behind it up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}
