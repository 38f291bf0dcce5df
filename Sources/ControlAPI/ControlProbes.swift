public import GatewayMetrics

/// What the admin listener tells beside the operations of the catalogue: what monitors ask, and what streams.
public struct ControlProbes: Sendable {
    /// Whether the gateway's event loops turn.
    public let liveness: @Sendable () async -> ControlAnswer
    /// Whether senders can use the gateway, with the single checks when they are asked for.
    public let readiness: @Sendable (_ isVerbose: Bool) -> ControlAnswer
    /// Which Castway this is.
    public let version: @Sendable () -> ControlAnswer
    /// What is measured.
    public let metrics: MetricsRegistry
    /// What a plugin and the gateway say to each other from now on, a JSON object a line; nil for an unknown plugin or one
    /// that does not run.
    public let trace: @Sendable (_ plugin: String) -> AsyncStream<String>?

    /// Collects the probes.
    public init(
        liveness: @escaping @Sendable () async -> ControlAnswer,
        readiness: @escaping @Sendable (_ isVerbose: Bool) -> ControlAnswer,
        version: @escaping @Sendable () -> ControlAnswer, metrics: MetricsRegistry = MetricsRegistry(),
        trace: @escaping @Sendable (_ plugin: String) -> AsyncStream<String>? = { _ in nil }
    ) {
        self.liveness = liveness
        self.readiness = readiness
        self.version = version
        self.metrics = metrics
        self.trace = trace
    }
}
