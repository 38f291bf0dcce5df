extension Duration {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// The duration as `gateway.yaml` writes it, in the largest unit that needs no fraction; finer than 1 ms is cut off.
    public var configText: String {
        let (seconds, attoseconds) = self.components
        guard attoseconds == 0 else {
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? "\(seconds)s" : "\(whole + attoseconds / 1_000_000_000_000_000)ms"
        }
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }

    /// Reads a whole number with one of the units `ms`, `s`, `m` and `h`.
    ///
    /// - Throws: What is wrong, without naming the key.
    init(configText text: String) throws(ConfigTextError) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard !digits.isEmpty else {
            throw ConfigTextError(.malformedValue, "must be a duration such as 5s, not '\(text.shown)'")
        }
        if suffix.isEmpty {
            throw ConfigTextError(
                .missingUnit, "needs a unit", hint: "write \(String(digits).shown)s, \(String(digits).shown)ms, …")
        }
        guard let unit = Self.units.first(where: { $0.suffix == suffix }) else {
            throw ConfigTextError(
                .malformedValue,
                "must be a duration such as 5s, not '\(text.shown)'",
                hint: "a whole number with ms, s, m or h"
            )
        }
        guard let count = Int64(digits) else { throw ConfigTextError(.outOfRange, "is too long a time") }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
        guard !overflow else { throw ConfigTextError(.outOfRange, "is too long a time") }
        self = .milliseconds(milliseconds)
    }
}

/// Sizes as `gateway.yaml` writes them: a whole number of `B`, `KiB`, `MiB` or `GiB`.
enum ByteSize {
    private static let units: [(suffix: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// A number of bytes in the largest unit that needs no fraction.
    static func text(_ bytes: Int) -> String {
        let unit = self.units.first { bytes != 0 && bytes % $0.bytes == 0 }
        return unit.map { "\(bytes / $0.bytes)\($0.suffix)" } ?? "\(bytes)B"
    }

    /// Reads a size.
    ///
    /// - Throws: What is wrong, without naming the key.
    static func bytes(_ text: String) throws(ConfigTextError) -> Int {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard !digits.isEmpty else {
            throw ConfigTextError(.malformedValue, "must be a size such as 64KiB, not '\(text.shown)'")
        }
        if suffix.isEmpty {
            throw ConfigTextError(
                .missingUnit, "needs a unit", hint: "write \(String(digits).shown)B, \(String(digits).shown)KiB, …")
        }
        guard let unit = self.units.first(where: { $0.suffix == suffix }) else {
            throw ConfigTextError(
                .malformedValue,
                "must be a size such as 64KiB, not '\(text.shown)'",
                hint: "a whole number with B, KiB, MiB or GiB"
            )
        }
        guard let count = Int(digits) else { throw ConfigTextError(.outOfRange, "is too large") }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
        guard !overflow else { throw ConfigTextError(.outOfRange, "is too large") }
        return bytes
    }
}

extension Double {
    /// The shortest text that reads back as the same number; whole numbers have no fraction.
    var configText: String {
        if let whole = Int(exactly: self), abs(whole) < 1_000_000_000 { return String(whole) }
        return "\(self)"
    }
}

/// Why a text is not the value that its key wants.
struct ConfigTextError: Error, Equatable {
    var code: ConfigProblem.Code
    /// What is wrong, as it follows the key's name in a message.
    var words: String
    var hint: String?

    init(_ code: ConfigProblem.Code, _ words: String, hint: String? = nil) {
        self.code = code
        self.words = words
        self.hint = hint
    }
}
