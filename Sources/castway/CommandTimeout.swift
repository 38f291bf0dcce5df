import ArgumentParser

/// `--timeout`: a time with its unit, `500ms`, `5s` or `1m`; a bare number is seconds, and may have a fraction.
struct CommandTimeout: ExpressibleByArgument, Sendable {
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("", 1000),
    ]
    /// Nobody waits longer than an hour.
    private static let longest = 3_600_000.0

    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

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
