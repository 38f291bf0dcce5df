package import CastIdentity
package import DeviceListening
package import GatewayConfig

/// The view that senders have of one virtual device, and where they reach it: the keys of `virtual_devices[]` that are not
/// its target's.
package struct VirtualDeviceSettings: Sendable, Equatable {
    /// The name used in `gateway.yaml`, topics and the API: 1 to 32 of `a-z`, `0-9` and `-`.
    package var name: String
    /// The name that senders show, at most 200 bytes; the device's name unless another is set.
    package var friendlyName: String
    /// The model that senders see.
    package var model = "Chromecast"
    /// The address where senders connect.
    package var listen: ListenAddress
    /// The announcement by mDNS, and the networks of it.
    package var announcing = AnnouncingSettings()
    /// The rules on who may use the device.
    package var senders = SenderRules()
    /// The set-up service.
    package var setup = SetupConfiguration()
    /// The capability bits announced to senders (PROTOCOL notes 1, TXT key `ca`).
    package var capabilities = 4101
    /// The kind of key of the TLS layer.
    package var tlsKey = TLSKeyKind.p256
    /// True if the device was made for one that discovery has found, rather than written down: it is announced only while
    /// ``VirtualDeviceHost/announce(whileTargetIsThere:)`` says that its target is there. No key of `gateway.yaml`.
    package var isDiscovered = false

    /// Makes settings; what is not changed has the default of `gateway.yaml`.
    package init(name: String, listen: ListenAddress, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.friendlyName = name
        self.listen = listen
        change(&self)
    }

    /// True if the device is announced by mDNS.
    package var publish: Bool {
        get { self.announcing.isOn }
        set { self.announcing.isOn = newValue }
    }

    /// The addresses from which senders may connect; empty means everyone.
    package var allowedSenders: [AddressRange] {
        get { self.senders.allow }
        set { self.senders.allow = newValue }
    }

    /// The rule of join codes for an address.
    package var join: SenderJoin {
        get { self.senders.join }
        set { self.senders.join = newValue }
    }

    /// The reason an address may not connect, be it to the device or to its set-up service; nil when it may.
    func obstacle(for address: String, _ rights: any SenderRights) -> String? {
        self.senders.obstacle(for: address, to: self.name, rights)
    }

    /// The keys of `virtual_devices[]` that stand before the target: the device's names, and where it is.
    package static let nameKeys: [ConfigKey<VirtualDeviceSettings>] = [
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
    package static let senderKeys: [ConfigKey<VirtualDeviceSettings>] = [
        .section(
            "senders", "Who may use the device", reload: .hot, SenderRules.keys.embedded(in: \Self.senders))
    ]

    /// The keys of `virtual_devices[]` that stand last: its services.
    package static let serviceKeys: [ConfigKey<VirtualDeviceSettings>] = [
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
package struct SetupConfiguration: ConfigSettings {
    /// The address for HTTP, usually port 8008; nil switches it off.
    package var http: ListenAddress?
    /// The address for HTTPS, usually port 8443; nil switches it off.
    package var https: ListenAddress?

    package static let keys: [Key] = [
        .optional(
            "http", \.http, .listenAddress, "The address for HTTP; without it there is none", example: "0.0.0.0:8008"),
        .optional(
            "https", \.https, .listenAddress, "The address for HTTPS; without it there is none",
            example: "0.0.0.0:8443"),
    ]

    package init() {}
}
