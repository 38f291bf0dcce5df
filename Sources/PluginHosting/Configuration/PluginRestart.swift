/// When a plugin that ended is started again.
public struct PluginRestart: Sendable, Hashable {
    /// After which ends it is.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// After a crash.
        case onFailure = "on_failure"
        /// After an end with status 0 too.
        case always
    }

    /// After which ends.
    public var policy: Policy
    /// The first pause; each further one is twice as long.
    public var initial: Duration
    /// The longest pause.
    public var maximum: Duration
    /// After so long without a crash the pauses begin anew.
    public var healthyAfter: Duration

    /// Takes the defaults of `gateway.yaml` where nothing is said.
    public init(
        policy: Policy = .onFailure, initial: Duration = .seconds(1), maximum: Duration = .seconds(60),
        healthyAfter: Duration = .seconds(600)
    ) {
        self.policy = policy
        self.initial = initial
        self.maximum = maximum
        self.healthyAfter = healthyAfter
    }
}
