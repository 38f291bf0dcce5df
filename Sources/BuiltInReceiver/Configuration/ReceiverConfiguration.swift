/// What `virtual_devices[]` says of a device's apps, and how the built-in receiver runs them.
public struct ReceiverConfiguration: Sendable, Equatable {
    /// The apps that senders may use; nil means all apps of the target (see ``localApps`` for the built-in receiver).
    public var apps: [VirtualAppConfiguration]?
    /// How long after its last sender left an app is closed; zero means never. Default 5 min.
    public var idleTimeout: Duration
    /// Whether the idle screen is reported as a running app. Default false.
    public var backdrop: Bool
    /// The volume that senders see.
    public var volume: VolumeConfiguration

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        apps: [VirtualAppConfiguration]? = nil,
        idleTimeout: Duration = .seconds(300),
        backdrop: Bool = false,
        volume: VolumeConfiguration = VolumeConfiguration()
    ) {
        self.apps = apps
        self.idleTimeout = idleTimeout
        self.backdrop = backdrop
        self.volume = volume
    }

    /// The apps of the built-in receiver: those configured, or the default media receiver with the simulated player.
    public var localApps: [VirtualAppConfiguration] {
        self.apps ?? [VirtualAppConfiguration(id: VirtualAppConfiguration.defaultMediaReceiver, player: .simulated)]
    }
}
