package import GatewayCore
package import Logging
package import NIOCore
package import PluginKit

/// The parts of a gateway that all its plugins share.
package struct PluginContext: Sendable {
    /// The identity of the gateway, as plugins are told.
    package var gateway: GatewayIdentity
    /// The registry of handlers, where plugins register.
    package var registry: HandlerRegistry
    /// The events of plugins, and those that plugins hear.
    package var events: EventBus
    /// The senders by which plugins speak to apps; nil where there are none.
    package var internalSenders: (any InternalSenders)?
    /// The store of plugins; nil when the state cannot be written.
    package var store: PluginDatabase?
    /// The folder in which each plugin has a folder and a socket, as an absolute path.
    package var stateDirectory: String
    package var launcher: String
    /// The event loops of the plugins' wires.
    package var eventLoops: any EventLoopGroup
    package var makeLogger: @Sendable (String) -> Logger
    package var timings: PluginTimings
    /// Has operations of the gateway done for plugins.
    package let operations = PluginOperationAccess()
    /// Finds the devices that callers of plugins' operations mean.
    package let operationDevices = OperationDevices()
    /// The Cast devices that plugins name.
    package let devices = ProvidedDevices()
    let numbers = MessageNumbers()
    let operationNumbers = MessageNumbers("c")

    /// Collects the parts; a relative state directory starts at the working directory.
    package init(
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

/// The time limits of the gateway for plugins, beyond what `gateway.yaml` says.
package struct PluginTimings: Sendable, Hashable {
    /// The interval at which a plugin is asked for its health.
    package var healthInterval: Duration
    /// The time it may take to answer.
    package var healthTimeout: Duration
    /// The number of missed answers after which it is ended.
    package var healthMisses: Int
    /// The time it may take to answer `shutdown`, and then to end.
    package var shutdown: Duration
    /// The time it may take to end after SIGTERM.
    package var terminate: Duration
    /// The time it may take to take a new configuration.
    package var reload: Duration
    /// The longest that a deferred message may wait.
    package var maximumDeadline: Duration

    /// The gateway's own times where none are given.
    package init(
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
