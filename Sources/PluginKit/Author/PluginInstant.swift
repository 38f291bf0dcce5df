/// A moment, as milliseconds since 1970 in UTC: it means the same after a restart, so it can be kept in the store.
public struct PluginInstant: InstantProtocol, Hashable, Sendable, Codable {
    /// Milliseconds since 1970.
    public var milliseconds: Int

    /// No moment is outside: some thousand years round 1970.
    static let range = -100_000_000_000_000...100_000_000_000_000

    /// Makes a moment; one beyond reason becomes the last or first within.
    public init(milliseconds: Int) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Reads the milliseconds.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Writes the milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.milliseconds)
    }

    /// So much later.
    public func advanced(by duration: Duration) -> PluginInstant {
        let (seconds, attoseconds) = duration.components
        let limit = Int64(Self.range.upperBound / 500)
        let whole = Int(min(max(seconds, -limit), limit)) * 1_000
        return PluginInstant(milliseconds: self.milliseconds + whole + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// How much later the other is.
    public func duration(to other: PluginInstant) -> Duration {
        .milliseconds(other.milliseconds - self.milliseconds)
    }

    /// True when it is earlier.
    public static func < (left: PluginInstant, right: PluginInstant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
