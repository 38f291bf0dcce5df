/// One thing that every plugin has to do.
public struct ConformanceCase: Sendable {
    /// Its name, for reports and for running it alone.
    public let name: String
    /// What is demanded, as a sentence.
    public let demand: String
    /// What to do about a breach.
    public let advice: String
    /// Whether it is about messages that the plugin decides about; left out for one that only observes.
    let asksForVerdicts: Bool
    let check: @Sendable (ConformanceTrial) throws -> Void

    init(
        _ name: String, _ demand: String, advice: String, asksForVerdicts: Bool = false,
        check: @escaping @Sendable (ConformanceTrial) throws -> Void
    ) {
        self.name = name
        self.demand = demand
        self.advice = advice
        self.asksForVerdicts = asksForVerdicts
        self.check = check
    }

    /// All of them, in the order in which they are run.
    public static let all: [ConformanceCase] =
        Self.handshake + Self.conversation + Self.payloads + Self.crowds + Self.resilience + Self.life
}
