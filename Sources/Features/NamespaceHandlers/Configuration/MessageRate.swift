package import NIOCore

/// A number of messages in a time: `10/1m`.
package struct MessageRate: Hashable, Sendable, CustomStringConvertible {
    /// The number of messages, 1 to 1,000,000.
    package let count: Int
    /// The time in which they pass, one second to one day.
    package let period: TimeAmount
    /// The rate as it was written.
    package let description: String

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]

    /// Reads `COUNT/TIME`, the time as `30s`, `1m` or `2h`; nil for anything else and for what is out of range.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Self.number(parts[0]), (1...1_000_000).contains(count),
            let unit = parts[1].last.flatMap({ Self.units[$0] }), let time = Self.number(parts[1].dropLast()),
            (1...86_400).contains(time)
        else { return nil }
        let seconds = Int64(time) * unit
        guard seconds <= 86_400 else { return nil }
        self.count = count
        self.period = .seconds(seconds)
        self.description = text
    }

    /// A number of messages in a second, 1 to 1,000,000.
    init(perSecond count: Int) {
        self.count = min(max(count, 1), 1_000_000)
        self.period = .seconds(1)
        self.description = "\(self.count)/1s"
    }

    private static func number(_ digits: Substring) -> Int? {
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.first != "0"
        else { return nil }
        return Int(digits)
    }
}
