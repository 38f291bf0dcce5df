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
