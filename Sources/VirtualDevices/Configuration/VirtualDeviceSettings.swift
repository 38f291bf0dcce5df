public import CastIdentity
public import GatewayConfig

/// How senders see one virtual device, and where they reach it: the keys of `virtual_devices[]` that are not its target's.
public struct VirtualDeviceSettings: Sendable, Equatable {
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
    /// The addresses from which senders may connect; empty means everyone.
    public var allowedSenders: [AddressRange]
    /// Where the set-up service answers.
    public var setup: SetupConfiguration
    /// The capability bits announced to senders (PROTOCOL notes 1, TXT key `ca`). Default 4101.
    public var capabilities: Int
    /// The kind of key of the TLS layer. Default P-256.
    public var tlsKey: TLSKeyKind

    /// Makes settings from their parts; each but name and listen has the default of `gateway.yaml`.
    public init(
        name: String,
        friendlyName: String? = nil,
        model: String = "Chromecast",
        listen: ListenAddress,
        publish: Bool = true,
        allowedSenders: [AddressRange] = [],
        setup: SetupConfiguration = SetupConfiguration(),
        capabilities: Int = 4101,
        tlsKey: TLSKeyKind = .p256
    ) {
        self.name = name
        self.friendlyName = friendlyName ?? name
        self.model = model
        self.listen = listen
        self.publish = publish
        self.allowedSenders = allowedSenders
        self.setup = setup
        self.capabilities = capabilities
        self.tlsKey = tlsKey
    }

    /// Whether an address may connect, be it to the device or to its set-up service.
    func allows(_ address: String) -> Bool {
        self.allowedSenders.isEmpty || self.allowedSenders.contains { $0.contains(address) }
    }
}
