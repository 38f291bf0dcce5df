public import ControlAPI
public import DeviceSessions
public import NamespaceHandlers
public import PluginHosting
public import VirtualDevices

/// Everything that `gateway.yaml` says, checked and typed.
///
/// ``load(path:fileSystem:environment:)`` makes one; the parts belong to the modules that use them.
public struct GatewayConfiguration: Sendable, Equatable {
    /// `gateway`: who this gateway is.
    public var gateway: GatewaySettings
    /// `log`: what is logged and how.
    public var log: LogConfiguration
    /// `admin`: how the gateway is asked to do things.
    public var admin: AdminConfiguration
    /// `identity`: the root of the certificates that virtual devices show.
    public var identity: IdentityConfiguration
    /// `shutdown`: how the gateway stops.
    public var shutdown: ShutdownConfiguration
    /// `discovery`: where real devices are found.
    public var discovery: DiscoveryConfiguration
    /// `connections`: the connections to real devices.
    public var connections: ConnectionsConfiguration
    /// `connections.senders`: the connections of senders.
    public var senders: SenderLimits
    /// `connections.setup`: the connections to the set-up service.
    public var setupLimits: SetupLimits
    /// `sessions`: how sessions are kept.
    public var sessions: SessionsConfiguration
    /// `launch`: what is added to launches.
    public var launch: LaunchConfiguration
    /// `virtual_devices`: what senders see.
    public var virtualDevices: [VirtualDeviceConfiguration]
    /// `routing`: rules, deadlines, and what happens to messages that nobody handles.
    public var routing: RoutingConfiguration
    /// `channels`: custom namespaces that Castway answers itself.
    public var channels: [ChannelConfiguration]
    /// `plugins`: programs of others that handle messages.
    public var plugins: PluginsConfiguration

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        gateway: GatewaySettings = GatewaySettings(),
        log: LogConfiguration = LogConfiguration(),
        admin: AdminConfiguration = AdminConfiguration(),
        identity: IdentityConfiguration = IdentityConfiguration(),
        shutdown: ShutdownConfiguration = ShutdownConfiguration(),
        discovery: DiscoveryConfiguration = DiscoveryConfiguration(),
        connections: ConnectionsConfiguration = ConnectionsConfiguration(),
        senders: SenderLimits = SenderLimits(),
        setupLimits: SetupLimits = SetupLimits(),
        sessions: SessionsConfiguration = SessionsConfiguration(),
        launch: LaunchConfiguration = LaunchConfiguration(),
        virtualDevices: [VirtualDeviceConfiguration] = [],
        routing: RoutingConfiguration = RoutingConfiguration(),
        channels: [ChannelConfiguration] = [],
        plugins: PluginsConfiguration = PluginsConfiguration()
    ) {
        self.gateway = gateway
        self.log = log
        self.admin = admin
        self.identity = identity
        self.shutdown = shutdown
        self.discovery = discovery
        self.connections = connections
        self.senders = senders
        self.setupLimits = setupLimits
        self.sessions = sessions
        self.launch = launch
        self.virtualDevices = virtualDevices
        self.routing = routing
        self.channels = channels
        self.plugins = plugins
    }
}
