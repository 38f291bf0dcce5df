import CastWire
import GatewayConfig

/// `virtual_devices[].apps.preset`: apps that known senders look for, with what is known of them.
package enum AppPreset: String, Sendable, CaseIterable {
    /// The Default Media Receiver, which nearly every sender uses.
    case defaultMedia = "default-media"
    /// The idle screen, as devices with a display report it while nothing runs.
    case backdrop
    case musicAssistant = "music-assistant"
    /// DashCast, which `catt cast_site` shows pages with.
    case catt
    /// Home Assistant's dashboards, and its media app.
    case homeAssistant = "home-assistant"

    /// The apps, in the order in which they are offered.
    /// - Parameter isLocal: whether they run on the built-in receiver; its simulated player plays those that take media.
    package func apps(isLocal: Bool) -> [VirtualAppConfiguration] {
        self.known.map { known in
            VirtualAppConfiguration(id: known.id.rawValue) {
                $0.name = known.name
                $0.namespaces = known.namespaces
                $0.player = known.takesMedia && isLocal ? .simulated : .none
                $0.isPreset = true
            }
        }
    }

    /// True if the built-in receiver has something to show for one of the apps at least.
    var runsLocally: Bool { self == .backdrop || self.known.contains(where: \.takesMedia) }

    /// One app: its id, its name for people, the namespaces beside those of the platform, and whether it plays media.
    private struct KnownApp {
        let id: AppID
        let name: String
        var namespaces: [String] = []
        var takesMedia = false
    }

    private var known: [KnownApp] {
        switch self {
        case .defaultMedia: [KnownApp(id: .defaultMediaReceiver, name: "Default Media Receiver", takesMedia: true)]
        case .backdrop: [KnownApp(id: .backdrop, name: "Backdrop")]
        case .musicAssistant:
            [
                KnownApp(
                    id: .musicAssistant, name: "Music Assistant", namespaces: ["urn:x-cast:io.music-assistant.cast"],
                    takesMedia: true)
            ]
        case .catt: [KnownApp(id: .dashCast, name: "DashCast", namespaces: ["urn:x-cast:com.madmod.dashcast"])]
        case .homeAssistant:
            [
                KnownApp(
                    id: .homeAssistantDashboard, name: "Home Assistant Lovelace",
                    namespaces: ["urn:x-cast:com.nabucasa.hast"]),
                KnownApp(id: .homeAssistantMedia, name: "Home Assistant Media", takesMedia: true),
            ]
        }
    }
}

extension AppPreset {
    /// The key of `virtual_devices[].apps` that stands beside ids of apps.
    static let key = ConfigField(
        "preset", .oneOf(.word(AppPreset.self), .list(of: .word(AppPreset.self))), .optional,
        "Apps that known senders look for, with name, namespaces and player. What is written for an id holds against its "
            + "preset. On `target: local` only those are available that really play: by the simulated player or a plugin",
        example: "[default-media, music-assistant]")

    /// The presets that a value of the key names, as they are written.
    static func named(by value: ConfigValue) -> [AppPreset] {
        (value.list ?? [value]).compactMap(\.string).compactMap(AppPreset.init)
    }

    /// Adds presets that are listed twice, and warns of those of which nothing runs on the built-in receiver.
    /// - Parameter ids: the apps that are written with their ids beside the presets.
    static func check(
        _ value: ConfigValue, path: String, isLocal: Bool, ids: Set<String>, problems: inout ConfigProblems
    ) {
        var places: [AppPreset: ConfigLocation] = [:]
        for element in value.list ?? [value] {
            guard let preset = element.string.flatMap(AppPreset.init) else { continue }
            if let first = places[preset] {
                problems.add(
                    .duplicateName, at: element.location, "preset '\(preset.rawValue)' is listed twice in '\(path)'",
                    hint: "first at \(first)")
                continue
            }
            places[preset] = element.location
            guard isLocal, !preset.runsLocally, let app = preset.apps(isLocal: true).first, !ids.contains(app.id)
            else { continue }
            problems.add(
                .neverRuns, at: element.location,
                "preset '\(preset.rawValue)' plays nothing on the built-in receiver, which reports its app as unavailable",
                hint: "give it a player, '\(app.id): {player: {plugin: NAME}}', or let it start with '\(app.id): {}'",
                severity: .warning)
        }
    }
}
