/// How patient the gateway is with plugins, beyond what `gateway.yaml` says.
public struct PluginTimings: Sendable, Hashable {
    /// How often a plugin is asked how it feels.
    public var healthInterval: Duration
    /// How long it may take to say so.
    public var healthTimeout: Duration
    /// How often it may fail to answer before it is ended.
    public var healthMisses: Int
    /// How long it may take to answer `shutdown`, and then to end.
    public var shutdown: Duration
    /// How long it may take to end after SIGTERM.
    public var terminate: Duration
    /// How long it may take to take a new configuration.
    public var reload: Duration
    /// The longest that a deferred message may wait.
    public var maximumDeadline: Duration

    /// The gateway's own patience where nothing is said.
    public init(
        healthInterval: Duration = .seconds(10), healthTimeout: Duration = .seconds(2), healthMisses: Int = 3,
        shutdown: Duration = .seconds(1), terminate: Duration = .seconds(5), reload: Duration = .seconds(5),
        maximumDeadline: Duration = .seconds(10)
    ) {
        self.healthInterval = healthInterval
        self.healthTimeout = healthTimeout
        self.healthMisses = healthMisses
        self.shutdown = shutdown
        self.terminate = terminate
        self.reload = reload
        self.maximumDeadline = maximumDeadline
    }
}
