import CastWire
public import GatewayConfig

/// What `virtual_devices[]` says of a device's apps, and how the built-in receiver runs them.
public struct ReceiverConfiguration: Sendable, Equatable {
    /// The apps that senders may use; nil means all apps of the target (see ``localApps`` for the built-in receiver).
    public var apps: [VirtualAppConfiguration]?
    /// How long after its last sender left an app is closed; zero means never.
    public var idleTimeout = Duration.seconds(300)
    /// Whether the idle screen is reported as a running app.
    public var backdrop = false
    /// The volume that senders see.
    public var volume = VolumeConfiguration()
    /// What makes the device a speaker group; nil for any other.
    public var group: SpeakerGroupConfiguration?

    /// Makes a configuration; what is not changed has the default of `gateway.yaml`.
    public init(_ change: (inout Self) -> Void = { _ in }) {
        change(&self)
    }

    /// The apps of the built-in receiver: those configured, or the default media receiver with the simulated player.
    public var localApps: [VirtualAppConfiguration] {
        self.apps
            ?? [VirtualAppConfiguration(id: VirtualAppConfiguration.defaultMediaReceiver) { $0.player = .simulated }]
    }

    /// Whether the idle screen is reported as a running app: by `backdrop`, or by the preset of that name.
    var showsIdleScreen: Bool {
        self.backdrop || self.localApps.contains { $0.isPreset && $0.id == AppID.backdrop.rawValue }
    }

    /// The apps of the built-in receiver that senders are told are available: those of presets only when something plays them.
    var availableApps: [VirtualAppConfiguration] {
        self.localApps.filter { app in
            !app.isPreset || app.player != .none || app.id == AppID.backdrop.rawValue
        }
    }

    /// The keys of `virtual_devices[]` that are about the receiver, without `apps`, whose meaning depends on the target.
    public static let keys: [ConfigKey<ReceiverConfiguration>] = [
        ConfigKey(
            "idle_timeout", \.idleTimeout, .duration(),
            "How long after its last sender left an app is closed; `0s` means never", reload: .hot),
        ConfigKey(
            "backdrop", \.backdrop, .boolean, "Whether the idle screen is reported as a running app", reload: .hot),
        ConfigKey("volume", \.volume, .object, "The volume that senders see", reload: .hot),
        .optional(
            "group", \.group, .object,
            "Makes the device a speaker group, which other devices of this file play with; see `speaker-groups.md`",
            reload: .hot),
    ]
}
