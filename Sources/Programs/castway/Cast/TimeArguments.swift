import ArgumentParser

/// A time in media on the command line: `90`, `90s`, `1m30s`, `1h2m3s`, `1:30` or `1:02:03`; seconds may have a fraction.
struct MediaTime: Hashable, Sendable, ExpressibleByArgument {
    /// How it is written, for messages.
    static let forms = "90, 90s, 1m30s, 1:30 or 1:02:03"

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

/// Numbers with a minus sign, which are no options: no command has an option that is a digit.
enum NegativeNumbers {
    /// Puts them behind `--`, where the parser takes what begins with a dash as a value. Those right behind an option stay, which may be its
    /// value. Nil when there are none.
    static func last(_ arguments: [String]) -> [String]? {
        guard !arguments.contains("--") else { return nil }
        let isNegative = { (text: String) in
            text.hasPrefix("-") && text.dropFirst().first.map { $0.isASCII && ($0.isNumber || $0 == ".") } == true
        }
        let places = arguments.indices.dropFirst().filter {
            isNegative(arguments[$0]) && !arguments[$0 - 1].hasPrefix("--")
        }
        guard !places.isEmpty else { return nil }
        return arguments.indices.filter { !places.contains($0) }.map { arguments[$0] } + ["--"]
            + places.map { arguments[$0] }
    }
}

/// `--timeout`: a time with its unit, `500ms`, `5s` or `1m`; a bare number is seconds, and may have a fraction.
struct CommandTimeout: ExpressibleByArgument, Sendable {
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("", 1000),
    ]
    /// A command waits an hour at most.
    private static let longest = 3_600_000.0

    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let suffix = argument.dropFirst(digits.count)
        guard let unit = Self.units.first(where: { $0.suffix == suffix }), let number = Double(digits) else {
            return nil
        }
        let milliseconds = (number * unit.milliseconds).rounded()
        guard milliseconds >= 1, milliseconds <= Self.longest else { return nil }
        self.duration = .milliseconds(Int64(milliseconds))
    }

    var defaultValueDescription: String {
        let milliseconds = self.duration / .milliseconds(1)
        return milliseconds.truncatingRemainder(dividingBy: 1000) == 0
            ? "\(Int(milliseconds / 1000))s" : "\(Int(milliseconds))ms"
    }
}
