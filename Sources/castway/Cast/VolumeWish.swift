import ArgumentParser

/// A volume on the command line: a level such as `40%`, `40` or `0.4`, or a change such as `+5%`, `-5` or `-0.1`.
///
/// A bare number above 1 is percent, one below 1 is a fraction. A bare `1` could be both, so it has to be written `1%`,
/// `1.0` or `100%`.
enum VolumeWish: Hashable, Sendable {
    /// The level itself, from 0 to 1.
    case level(Double)
    /// What is added to the level, from -1 to 1.
    case change(Double)

    /// Reads what a user wrote.
    /// - Throws: `ValidationError` that says what is wrong with it.
    init(_ text: String) throws {
        try UnknownOption.check(text)
        let isChange = text.hasPrefix("+") || text.hasPrefix("-")
        let digits = isChange ? text.dropFirst() : text[...]
        let isPercent = digits.hasSuffix("%")
        let number = isPercent ? digits.dropLast() : digits
        guard let first = number.first, first.isASCII, first.isNumber || first == ".",
            number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number)
        else {
            throw ValidationError("A volume is written 40%, 40 or 0.4, and a change +5%, -5 or -0.1; not '\(text)'.")
        }
        let sign = isChange ? String(text.prefix(1)) : ""
        if !isPercent, value == 1, !number.contains(".") {
            throw ValidationError("'\(text)' could be 1 % or 100 %: write \(sign)1% or \(sign)100%.")
        }
        let level = isPercent || value > 1 ? value / 100 : value
        guard level <= 1 else {
            throw ValidationError("'\(text)' is more than 100 %.")
        }
        self = isChange ? .change(text.hasPrefix("-") ? -level : level) : .level(level)
    }

    /// The level to set; never below 0 or above 1.
    /// - Parameter current: the level now; nil when it is not known.
    /// - Returns: nil for a change of a level that is not known.
    func level(from current: Double?) -> Double? {
        switch self {
        case .level(let level): level
        // Levels are told with single precision; a sum of two of them is not to show more digits than they have.
        case .change(let change): current.map { (min(max($0 + change, 0), 1) * 10_000).rounded() / 10_000 }
        }
    }
}
