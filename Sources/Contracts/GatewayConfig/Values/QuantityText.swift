extension Duration {
    private static let units: [(suffix: String, count: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// The duration as `gateway.yaml` writes it, in the largest unit that needs no fraction; finer than 1 ms is cut off.
    package var configText: String {
        let (seconds, attoseconds) = self.components
        guard attoseconds == 0 else {
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? "\(seconds)s" : "\(whole + attoseconds / 1_000_000_000_000_000)ms"
        }
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }

    /// Reads a whole number with one of the units `ms`, `s`, `m`, `h` and `d`.
    ///
    /// - Throws: What is wrong, without naming the key.
    init(configText text: String) throws(ConfigTextError) {
        self = .milliseconds(
            try Quantity(
                what: "a duration such as 5s", units: "ms, s, m, h or d", usual: ("s", "ms"),
                tooMuch: "is too long a time"
            )
            .read(text, in: Self.units))
    }
}

/// Sizes as `gateway.yaml` writes them: a whole number of `B`, `KiB`, `MiB` or `GiB`.
enum ByteSize {
    private static let units: [(suffix: String, count: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// A number of bytes in the largest unit that needs no fraction.
    static func text(_ bytes: Int) -> String {
        let unit = self.units.first { bytes != 0 && bytes % $0.count == 0 }
        return unit.map { "\(bytes / $0.count)\($0.suffix)" } ?? "\(bytes)B"
    }

    /// Reads a size.
    ///
    /// - Throws: What is wrong, without naming the key.
    static func bytes(_ text: String) throws(ConfigTextError) -> Int {
        try Quantity(
            what: "a size such as 64KiB", units: "B, KiB, MiB or GiB", usual: ("B", "KiB"), tooMuch: "is too large"
        )
        .read(text, in: self.units)
    }
}

extension Double {
    /// The shortest text that reads back as the same number; whole numbers have no fraction.
    var configText: String {
        if let whole = Int(exactly: self), abs(whole) < 1_000_000_000 { return String(whole) }
        return "\(self)"
    }
}

/// The reason a text is not the value that its key wants.
struct ConfigTextError: Error, Equatable {
    var code: ConfigProblem.Code
    /// The fault, as it follows the key's name in a message.
    var words: String
    var hint: String?

    init(_ code: ConfigProblem.Code, _ words: String, hint: String? = nil) {
        self.code = code
        self.words = words
        self.hint = hint
    }
}

/// A kind of whole number with a unit, and how its messages speak of it.
private struct Quantity {
    let what: String
    let units: String
    let usual: (String, String)
    let tooMuch: String

    func read<Count: FixedWidthInteger>(
        _ text: String, in units: [(suffix: String, count: Count)]
    ) throws(ConfigTextError) -> Count {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        let malformed = "must be \(self.what), not '\(text.shown)'"
        guard !digits.isEmpty else { throw ConfigTextError(.malformedValue, malformed) }
        if suffix.isEmpty {
            let number = String(digits).shown
            throw ConfigTextError(
                .missingUnit, "needs a unit", hint: "write \(number)\(self.usual.0), \(number)\(self.usual.1), …")
        }
        guard let unit = units.first(where: { $0.suffix == suffix }) else {
            throw ConfigTextError(.malformedValue, malformed, hint: "a whole number with \(self.units)")
        }
        guard let count = Count(digits) else { throw ConfigTextError(.outOfRange, self.tooMuch) }
        let (value, overflow) = count.multipliedReportingOverflow(by: unit.count)
        guard !overflow else { throw ConfigTextError(.outOfRange, self.tooMuch) }
        return value
    }
}
