extension Duration {
    /// No time on the wire is longer: 30 days.
    static let maximumWireMilliseconds = 2_592_000_000

    /// A time from the wire; nil when negative or beyond reason.
    init?(wireMilliseconds value: Int) {
        guard (0...Self.maximumWireMilliseconds).contains(value) else { return nil }
        self = .milliseconds(value)
    }

    /// The time in whole milliseconds, rounded up, so that what is left of a time is not nothing; at least 0.
    var wireMilliseconds: Int {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < Int64(Self.maximumWireMilliseconds / 1_000) else { return Self.maximumWireMilliseconds }
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
