import ArgumentParser

/// A time in media on the command line: `90`, `90s`, `1m30s`, `1h2m3s`, `1:30` or `1:02:03`; seconds may have a fraction.
struct MediaTime: Hashable, Sendable, ExpressibleByArgument {
    /// How it is written, for messages.
    static let forms = "90, 90s, 1m30s, 1:30 or 1:02:03"

    /// Never negative.
    let seconds: Double

    /// Nil for what is no time.
    init?(argument: String) {
        guard let seconds = Self.seconds(argument[...]) else { return nil }
        self.seconds = seconds
    }

    /// What is written without a sign, in seconds.
    static func seconds(_ text: Substring) -> Double? {
        let allowed = text.allSatisfy { $0.isASCII && ($0.isNumber || ".:hms".contains($0)) }
        guard allowed, let first = text.first, first.isNumber || first == "." else { return nil }
        if text.contains(":") { return Self.clock(text) }
        guard text.contains(where: { "hms".contains($0) }) else { return Self.finite(text) }
        return Self.units(text)
    }

    /// `M:SS` or `H:MM:SS`.
    private static func clock(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.dropLast().allSatisfy({ part in part.allSatisfy(\.isNumber) }) else {
            return nil
        }
        var total = 0.0
        for (index, part) in parts.enumerated() {
            guard let number = Self.finite(part), index == 0 || number < 60 else { return nil }
            total = total * 60 + number
        }
        return total
    }

    /// `1h2m3s`: each unit at most once, the large ones first.
    private static func units(_ text: Substring) -> Double? {
        var total = 0.0
        var rest = text
        for (unit, seconds) in [("h", 3600.0), ("m", 60), ("s", 1)] {
            guard let end = rest.firstIndex(where: { $0.isLetter }), String(rest[end]) == unit else { continue }
            guard let number = Self.finite(rest[..<end]) else { return nil }
            total += number * seconds
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? total : nil
    }

    private static func finite(_ text: Substring) -> Double? {
        guard let number = Double(text), number.isFinite, number < 1e9 else { return nil }
        return number
    }
}

/// Tells a mistyped option from a negative number, where arguments that begin with a dash are taken as values.
enum UnknownOption {
    /// - Throws: `ValidationError` when the text is an option that the command does not have.
    static func check(_ text: String) throws {
        guard text.hasPrefix("-"), let second = text.dropFirst().first, second == "-" || second.isLetter else { return }
        throw ValidationError("Unknown option '\(text)'")
    }
}
