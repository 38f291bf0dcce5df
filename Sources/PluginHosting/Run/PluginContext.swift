public import GatewayCore
public import Logging
public import NIOCore
public import PluginKit

/// What every plugin of a gateway shares.
public struct PluginContext: Sendable {
    /// Which gateway it is, as plugins are told.
    public var gateway: GatewayIdentity
    /// Where plugins become handlers.
    public var registry: HandlerRegistry
    /// Where what happens to plugins is told, and where plugins hear what happens.
    public var events: EventBus
    /// Where plugins speak to apps; nil where there are none.
    public var internalSenders: (any InternalSenders)?
    /// What plugins keep; nil when the state cannot be written.
    public var store: PluginDatabase?
    /// Where each plugin has a folder and a socket, as an absolute path.
    public var stateDirectory: String
    /// The program that starts plugins.
    public var launcher: String
    /// Where the plugins' wires live.
    public var eventLoops: any EventLoopGroup
    /// Makes the logger of a component.
    public var makeLogger: @Sendable (String) -> Logger
    /// How long the gateway waits for plugins.
    public var timings: PluginTimings
    /// Has operations of the gateway done for plugins.
    public let operations = PluginOperationAccess()
    /// Finds the devices that callers of plugins' operations mean.
    public let operationDevices = OperationDevices()
    /// The Cast devices that plugins name.
    public let devices = ProvidedDevices()
    let numbers = MessageNumbers()
    let operationNumbers = MessageNumbers("c")

    /// Collects the parts; a relative state directory starts at the working directory.
    public init(
        gateway: GatewayIdentity, registry: HandlerRegistry, events: EventBus,
        internalSenders: (any InternalSenders)? = nil,
        store: PluginDatabase? = nil, stateDirectory: String, launcher: String, eventLoops: any EventLoopGroup,
        makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) },
        timings: PluginTimings = PluginTimings()
    ) {
        self.gateway = gateway
        self.registry = registry
        self.events = events
        self.internalSenders = internalSenders
        self.store = store
        self.stateDirectory = AbsolutePath.of(stateDirectory)
        self.launcher = launcher
        self.eventLoops = eventLoops
        self.makeLogger = makeLogger
        self.timings = timings
    }
}

/// How long the gateway waits for plugins, beyond what `gateway.yaml` says.
public struct PluginTimings: Sendable, Hashable {
    /// How often a plugin is asked for its health.
    public var healthInterval: Duration
    /// How long it may take to answer.
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

    /// The gateway's own times where none are given.
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
