/// `shutdown`: how the gateway stops.
public struct ShutdownConfiguration: Sendable, Equatable {
    /// How long connections may finish what they are doing. Default 5 s.
    public var drain: Duration
    /// How long everything together may take before the process ends; at least `drain`. Default 20 s.
    public var total: Duration
    /// Whether apps on real devices are stopped; otherwise media keeps playing. Default false.
    public var stopReceivers: Bool

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(drain: Duration = .seconds(5), total: Duration = .seconds(20), stopReceivers: Bool = false) {
        self.drain = drain
        self.total = total
        self.stopReceivers = stopReceivers
    }
}
