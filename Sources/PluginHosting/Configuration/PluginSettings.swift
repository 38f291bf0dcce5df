public import GatewayCore

/// What `plugins.defaults` says of every plugin, and an instance of itself.
public struct PluginSettings: Sendable, Hashable {
    /// How long a filter may take for a message.
    public var filterDeadline: Duration
    /// How long an owner may take for a message.
    public var handleDeadline: Duration
    /// What happens to a message when the plugin fails.
    public var onFailure: FailurePolicy
    /// When it is started again.
    public var restart: PluginRestart
    /// How long it may take to be ready.
    public var startTimeout: Duration
    /// How long it may take to end what it is doing.
    public var drain: Duration
    /// How much of the machine it may use.
    public var resources: PluginResources
    /// How it is shut in.
    public var sandbox: PluginSandbox

    /// Takes the defaults of `gateway.yaml` where nothing is said.
    public init(
        filterDeadline: Duration = .milliseconds(250), handleDeadline: Duration = .seconds(1),
        onFailure: FailurePolicy = .open, restart: PluginRestart = PluginRestart(),
        startTimeout: Duration = .seconds(10), drain: Duration = .seconds(5),
        resources: PluginResources = PluginResources(), sandbox: PluginSandbox = .basic
    ) {
        self.filterDeadline = filterDeadline
        self.handleDeadline = handleDeadline
        self.onFailure = onFailure
        self.restart = restart
        self.startTimeout = startTimeout
        self.drain = drain
        self.resources = resources
        self.sandbox = sandbox
    }
}
