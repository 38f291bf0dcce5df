public import CastIdentity
public import GatewayConfig

/// `virtual_devices[]`: one device that senders see.
public struct VirtualDeviceConfiguration: Sendable, Equatable {
    /// What stands behind a virtual device.
    public enum Target: Sendable, Equatable {
        /// The built-in receiver platform.
        case local
        /// A real device, by the name that discovery gives it.
        case device(String)
    }

    /// The name used in `gateway.yaml`, topics and the API: 1 to 32 of `a-z`, `0-9` and `-`.
    public var name: String
    /// What senders show, at most 200 bytes. Default: the name.
    public var friendlyName: String
    /// The model that senders see. Default `Chromecast`.
    public var model: String
    /// Where senders connect.
    public var listen: ListenAddress
    /// Whether the device is announced by mDNS. Default true.
    public var publish: Bool
    /// What stands behind the device.
    public var target: Target
    /// The addresses from which senders may connect; empty means everyone.
    public var allowedSenders: [AddressRange]
    /// The apps that senders may use; nil means all apps of the target (see ``localApps`` for a local one).
    public var apps: [VirtualAppConfiguration]?
    /// How long after its last sender left an app is closed; zero means never. Default 5 min.
    public var idleTimeout: Duration
    /// Whether the idle screen is reported as a running app. Default false.
    public var backdrop: Bool
    /// The volume that senders see.
    public var volume: VolumeConfiguration
    /// Where the set-up service answers.
    public var setup: SetupConfiguration
    /// The capability bits announced to senders (PROTOCOL notes 1, TXT key `ca`). Default 4101.
    public var capabilities: Int
    /// The kind of key of the TLS layer. Default P-256.
    public var tlsKey: TLSKeyKind

    /// Makes a configuration from its parts; each but name, listen and target has the default of `gateway.yaml`.
    public init(
        name: String,
        friendlyName: String? = nil,
        model: String = "Chromecast",
        listen: ListenAddress,
        publish: Bool = true,
        target: Target,
        allowedSenders: [AddressRange] = [],
        apps: [VirtualAppConfiguration]? = nil,
        idleTimeout: Duration = .seconds(300),
        backdrop: Bool = false,
        volume: VolumeConfiguration = VolumeConfiguration(),
        setup: SetupConfiguration = SetupConfiguration(),
        capabilities: Int = 4101,
        tlsKey: TLSKeyKind = .p256
    ) {
        self.name = name
        self.friendlyName = friendlyName ?? name
        self.model = model
        self.listen = listen
        self.publish = publish
        self.target = target
        self.allowedSenders = allowedSenders
        self.apps = apps
        self.idleTimeout = idleTimeout
        self.backdrop = backdrop
        self.volume = volume
        self.setup = setup
        self.capabilities = capabilities
        self.tlsKey = tlsKey
    }

    /// Whether an address may connect, be it to the device or to its set-up service.
    func allows(_ address: String) -> Bool {
        self.allowedSenders.isEmpty || self.allowedSenders.contains { $0.contains(address) }
    }

    /// The apps of the built-in receiver: those configured, or the default media receiver with the simulated player.
    public var localApps: [VirtualAppConfiguration] {
        self.apps ?? [VirtualAppConfiguration(id: VirtualAppConfiguration.defaultMediaReceiver, player: .simulated)]
    }
}
