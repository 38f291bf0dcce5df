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
    public var door: (any GatewayDoor)?
    /// What plugins keep; nil when the state cannot be written.
    public var store: PluginStore?
    /// Where each plugin has a folder and a socket, as an absolute path.
    public var stateDirectory: String
    /// The program that starts plugins.
    public var launcher: String
    /// Where the plugins' wires live.
    public var eventLoops: any EventLoopGroup
    /// Makes the logger of a component.
    public var makeLogger: @Sendable (String) -> Logger
    /// How patient the gateway is.
    public var timings: PluginTimings
    let numbers = MessageNumbers()

    /// Collects the parts; a relative state directory starts at the working directory.
    public init(
        gateway: GatewayIdentity, registry: HandlerRegistry, events: EventBus, door: (any GatewayDoor)? = nil,
        store: PluginStore? = nil, stateDirectory: String, launcher: String, eventLoops: any EventLoopGroup,
        makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) },
        timings: PluginTimings = PluginTimings()
    ) {
        self.gateway = gateway
        self.registry = registry
        self.events = events
        self.door = door
        self.store = store
        self.stateDirectory = AbsolutePath.of(stateDirectory)
        self.launcher = launcher
        self.eventLoops = eventLoops
        self.makeLogger = makeLogger
        self.timings = timings
    }
}
