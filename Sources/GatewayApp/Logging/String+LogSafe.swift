extension String {
    /// The text without anything that ends a line or that a terminal acts on: such characters appear as `\u{1b}`.
    var logSafe: String {
        self.escapingControls { "\\u{\($0.hexText(width: 1))}" }
    }

    /// Replaces control characters and those that change the direction of writing.
    func escapingControls(as escape: (Unicode.Scalar) -> String) -> String {
        // Most texts are plain, and looking is cheaper than copying.
        guard self.unicodeScalars.contains(where: \.actsOnTerminals) else { return self }
        var text = ""
        for scalar in self.unicodeScalars {
            if scalar.actsOnTerminals {
                text += escape(scalar)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// The number in hexadecimal digits.
    func hexText(width: Int) -> String {
        let digits = String(self.value, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Controls, line separators, and marks that change the direction of writing.
    fileprivate var actsOnTerminals: Bool {
        switch self.value {
        case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
