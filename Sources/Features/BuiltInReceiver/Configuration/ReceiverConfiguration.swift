import CastWire
package import GatewayConfig

/// The apps of a device in `virtual_devices[]`, and how the built-in receiver runs them.
package struct ReceiverConfiguration: Sendable, Equatable {
    /// The apps that senders may use; nil means all apps of the target (see ``localApps`` for the built-in receiver).
    package var apps: [VirtualAppConfiguration]?
    /// The time from the moment its last sender left until an app is closed; zero means never.
    package var idleTimeout = Duration.seconds(300)
    /// Reports the idle screen as a running app.
    package var backdrop = false
    /// The volume that senders see.
    package var volume = VolumeConfiguration()
    /// The speaker group that the device is; nil for any other.
    package var group: SpeakerGroupConfiguration?

    /// Makes a configuration; what is not changed has the default of `gateway.yaml`.
    package init(_ change: (inout Self) -> Void = { _ in }) {
        change(&self)
    }

    /// The apps of the built-in receiver: those configured, or the default media receiver with the simulated player.
    package var localApps: [VirtualAppConfiguration] {
        self.apps
            ?? [VirtualAppConfiguration(id: VirtualAppConfiguration.defaultMediaReceiver) { $0.player = .simulated }]
    }

    /// True if the idle screen is reported as a running app: by `backdrop`, or by the preset of that name.
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
    package static let keys: [ConfigKey<ReceiverConfiguration>] = [
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
