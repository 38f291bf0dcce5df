/// A JSON number with its spelling, so that `1.0`, `1` and `1e0` stay what they were.
public struct JSONNumber: Hashable, Sendable {
    /// The number as it stands in the text.
    public let literal: String

    /// Takes a literal that the reader has checked against the grammar of RFC 8259, section 6.
    init(checked literal: String) {
        self.literal = literal
    }

    /// A whole number.
    public init(_ value: Int) {
        self.literal = String(value)
    }

    /// A number, or nil for infinity and not-a-number, which JSON cannot hold. Whole values are written without a fraction.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if let whole = Int(exactly: value) {
            self.literal = String(whole)
        } else {
            self.literal = value.description
        }
    }

    /// The value as a double; a literal beyond its range is infinite.
    public var doubleValue: Double { Double(self.literal) ?? .nan }

    /// The value when it is a whole number that fits, also when it is spelled `5.0`.
    public var intValue: Int? {
        Int(self.literal) ?? Int(exactly: self.doubleValue)
    }
}
