public import CastIdentity
public import DeviceListening
public import GatewayConfig

/// How senders see one virtual device, and where they reach it: the keys of `virtual_devices[]` that are not its target's.
public struct VirtualDeviceSettings: Sendable, Equatable {
    /// The name used in `gateway.yaml`, topics and the API: 1 to 32 of `a-z`, `0-9` and `-`.
    public var name: String
    /// What senders show, at most 200 bytes; the name unless another is set.
    public var friendlyName: String
    /// The model that senders see.
    public var model = "Chromecast"
    /// Where senders connect.
    public var listen: ListenAddress
    /// Whether the device is announced by mDNS, and in which networks.
    public var announcing = AnnouncingSettings()
    /// Who may use the device.
    public var senders = SenderRules()
    /// Where the set-up service answers.
    public var setup = SetupConfiguration()
    /// The capability bits announced to senders (PROTOCOL notes 1, TXT key `ca`).
    public var capabilities = 4101
    /// The kind of key of the TLS layer.
    public var tlsKey = TLSKeyKind.p256
    /// Whether the device was made for one that discovery has found, rather than written down: it is announced only while
    /// ``VirtualDeviceService/announce(whileTargetIsThere:)`` says that its target is there. No key of `gateway.yaml`.
    public var isDiscovered = false

    /// Makes settings; what is not changed has the default of `gateway.yaml`.
    public init(name: String, listen: ListenAddress, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.friendlyName = name
        self.listen = listen
        change(&self)
    }

    /// Whether the device is announced by mDNS.
    public var publish: Bool {
        get { self.announcing.isOn }
        set { self.announcing.isOn = newValue }
    }

    /// The addresses from which senders may connect; empty means everyone.
    public var allowedSenders: [AddressRange] {
        get { self.senders.allow }
        set { self.senders.allow = newValue }
    }

    /// Whether an address needs a join code as well.
    public var join: SenderJoin {
        get { self.senders.join }
        set { self.senders.join = newValue }
    }

    /// Why an address may not connect, be it to the device or to its set-up service; nil when it may.
    func obstacle(for address: String, _ rights: any SenderRights) -> String? {
        self.senders.obstacle(for: address, to: self.name, rights)
    }

    /// The keys of `virtual_devices[]` that stand before the target: the device's names, and where it is.
    public static let nameKeys: [ConfigKey<VirtualDeviceSettings>] = [
        .required(
            "name", \.name, .text(allowed: "a-z0-9-", length: 1...32),
            "The name of the device in this file, in topics and in the API", example: "lobby"),
        ConfigKey(
            "friendly_name", \.friendlyName, .text(maximumBytes: 200), sameAs: "name", "What senders show",
            example: "Lobby screen", reload: .hot),
        ConfigKey("model", \.model, .text(maximumBytes: 64), "The model that senders see", reload: .hot),
        .required(
            "listen", \.listen, .listenAddress, "Where senders connect; port 0 lets the system choose",
            example: "0.0.0.0:8009"),
        AnnouncingSettings.key(\.announcing),
    ]

    /// The key of `virtual_devices[]` that says who may use the device.
    public static let senderKeys: [ConfigKey<VirtualDeviceSettings>] = [
        .section(
            "senders", "Who may use the device", reload: .hot, SenderRules.keys.embedded(in: \Self.senders))
    ]

    /// The keys of `virtual_devices[]` that stand last: its services.
    public static let serviceKeys: [ConfigKey<VirtualDeviceSettings>] = [
        ConfigKey("setup", \.setup, .object, "Where the set-up service answers"),
        ConfigKey(
            "capabilities", \.capabilities, .integer(0...0xFFFF_FFFF), "The capability bits announced to senders",
            reload: .hot),
        ConfigKey(
            "tls_key", \.tlsKey, .word,
            "The key of the TLS layer: `p256` is made at once and makes accepting a sender twice as cheap; `rsa` is for "
                + "senders that know no other",
            reload: .newConnections),
    ]
}

/// `virtual_devices[].setup`: where the set-up service (`/setup/eureka_info`) of a virtual device answers.
public struct SetupConfiguration: ConfigSettings {
    /// The address for HTTP, usually port 8008; nil switches it off.
    public var http: ListenAddress?
    /// The address for HTTPS, usually port 8443; nil switches it off.
    public var https: ListenAddress?

    /// The keys of `virtual_devices[].setup`.
    public static let keys: [Key] = [
        .optional(
            "http", \.http, .listenAddress, "The address for HTTP; without it there is none", example: "0.0.0.0:8008"),
        .optional(
            "https", \.https, .listenAddress, "The address for HTTPS; without it there is none",
            example: "0.0.0.0:8443"),
    ]

    /// Makes a configuration in which both are off.
    public init() {}
}
