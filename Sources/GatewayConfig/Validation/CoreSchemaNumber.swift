/// Numbers as the core schema of YAML 1.2 (section 10.3.2) writes them, without what only older YAML knows.
enum CoreSchemaNumber {
    /// A whole number: decimal without leading zeros, `0x…` or `0o…`; nil for anything else and for what does not fit.
    static func integer(_ text: String) -> Int? {
        if text.hasPrefix("0x") { return self.digits(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return self.digits(text.dropFirst(2), radix: 8) }
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        guard self.isDecimal(digits), digits == "0" || !digits.hasPrefix("0") else { return nil }
        return Int(text)
    }

    /// A finite number, with or without fraction and exponent; nil for anything else.
    static func number(_ text: String) -> Double? {
        if let integer = self.integer(text) { return Double(integer) }
        var rest = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        if let exponent = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            let digits = rest[exponent...].dropFirst()
            let signless = digits.hasPrefix("-") || digits.hasPrefix("+") ? digits.dropFirst() : digits
            guard self.isDecimal(signless) else { return nil }
            rest = rest[..<exponent]
        }
        let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ self.isDecimal($0) }), parts[0] == "0" || !parts[0].hasPrefix("0") else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Whether a text is a decimal number but for zeros at its start.
    static func hasLeadingZero(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        return self.isDecimal(digits) && digits.count > 1 && digits.hasPrefix("0")
    }

    private static func isDecimal(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func digits(_ text: Substring, radix: Int) -> Int? {
        text.allSatisfy { $0.isASCII && $0.isHexDigit } ? Int(text, radix: radix) : nil
    }
}
