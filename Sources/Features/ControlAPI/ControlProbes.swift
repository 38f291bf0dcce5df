package import GatewayMetrics

/// What the admin listener tells beside the operations of the catalogue: what monitors ask, and what streams.
package struct ControlProbes: Sendable {
    /// Whether the gateway's event loops turn.
    package let liveness: @Sendable () async -> ControlAnswer
    /// Whether senders can use the gateway, with the single checks when they are asked for.
    package let readiness: @Sendable (_ isVerbose: Bool) -> ControlAnswer
    /// Which Castway this is.
    package let version: @Sendable () -> ControlAnswer
    /// What is measured.
    package let metrics: MetricsRegistry
    /// What a plugin and the gateway say to each other from now on, a JSON object a line; nil for an unknown plugin or one
    /// that does not run.
    package let trace: @Sendable (_ plugin: String) -> AsyncStream<String>?

    package init(
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
