/// What came of one case.
public struct ConformanceResult: Sendable {
    /// How a plugin did.
    public enum Outcome: Sendable, Hashable {
        /// As demanded.
        case kept
        /// Otherwise: what it did.
        case broken(String)
        /// The case does not apply, and why.
        case skipped(String)
    }

    /// Which case.
    public let name: String
    /// What it demands.
    public let demand: String
    /// What to do about a breach.
    public let advice: String
    /// How the plugin did.
    public let outcome: Outcome
    /// The last lines of what the plugin wrote to standard error meanwhile.
    public let errors: [String]

    /// Whether the plugin did wrong.
    public var isBroken: Bool {
        if case .broken = self.outcome { true } else { false }
    }
}
