import BuiltInReceiver
import CastWire
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayLogging
import PluginHosting
import PluginKit

/// The words by which messages, apps, events, components and devices are selected, as far as Castway and a configuration know them.
struct KnownWords {
    /// The apps that have a name, or are in a preset.
    let wellKnownApps = Self.names(AppID.wellKnown.map(\.rawValue) + Self.presets.map(\.id))
    /// The apps that the file offers or starts.
    let apps: [String]
    /// The namespaces of Cast itself, of presets, and of apps and plugins of the file.
    let namespaces: [String]
    /// The namespaces that have a channel.
    let channels: [String]
    /// The types of messages of Cast itself, and those that plugins ask for.
    let types: [String]
    /// The events that the gateway tells.
    let events = EventCatalogue.all.map(\.name)
    /// The patterns of events that plugins may emit.
    let pluginEvents: [String]
    /// The components of the log, and the names of classes of the Cast SDKs that stand for some.
    let components: [String]
    /// The devices that the file names.
    let devices: [String]
    /// The instances of plugins.
    let plugins: [String]

    private static let presets = AppPreset.allCases.flatMap { $0.apps(isLocal: false) }

    /// The components that every gateway has.
    private static let ownComponents = [
        "API", "Admin", "Audit", "Bridges", "CastingLog", "Catalogues", "DeviceSession", "Discovery", "Gateway",
        "Guests",
        "Handlers", "Journal", "Keys", "Metrics", "Outbox", "Passthrough", "Pictures", "PlayLimits", "Plugins",
        "Reload",
        "VirtualDevice",
    ]

    /// The types of messages in namespaces of Cast (protocol notes, 3 to 6).
    private static let castTypes =
        ReceiverRequest.Kind.allCases.map(\.rawValue) + ConnectionPayload.Kind.allCases.map(\.rawValue)
        + MultizonePayload.Kind.allCases.map(\.rawValue)
        + [
            "PING", "PONG", "RECEIVER_STATUS", "LAUNCH_ERROR", "LAUNCH_STATUS", "INVALID_REQUEST", "GET_DEVICE_INFO",
            "DEVICE_INFO", "SET_DEVICE_VOLUME", "USER_PENDING_AUTHORIZATION", "eureka_info", "OFFER", "ANSWER",
            "APPLICATION_BROADCAST",
        ]
        + [
            "LOAD", "LOAD_BY_ENTITY", "PLAY", "PAUSE", "STOP", "SEEK", "GET_STATUS", "SET_VOLUME", "SET_PLAYBACK_RATE",
            "EDIT_TRACKS_INFO", "EDIT_AUDIO_TRACKS", "QUEUE_LOAD", "QUEUE_INSERT", "QUEUE_UPDATE", "QUEUE_REMOVE",
            "QUEUE_REORDER", "QUEUE_NEXT", "QUEUE_PREV", "QUEUE_SHUFFLE", "QUEUE_GET_ITEM_IDS", "QUEUE_GET_ITEMS",
            "QUEUE_GET_ITEM_RANGE", "SKIP_AD", "PRELOAD", "PRECACHE", "SET_CREDENTIALS", "REFRESH_CREDENTIALS",
            "CLOUD_STATUS", "USER_ACTION", "DISPLAY_STATUS", "FOCUS_STATE", "CUSTOM_COMMAND", "PLAY_AGAIN",
            "PLAY_STRING", "EXECUTE_ACTION_SCRIPT", "SHOW_REMOTE_CONTROL_OVERLAY", "STORE_SESSION", "RESUME_SESSION",
            "MEDIA_STATUS", "INVALID_PLAYER_STATE", "LOAD_FAILED", "LOAD_CANCELLED", "ERROR", "QUEUE_CHANGE",
            "QUEUE_ITEM_IDS", "QUEUE_ITEMS", "SESSION_STATE",
        ]

    /// - Parameters:
    ///   - root: the checked configuration.
    ///   - texts: its texts.
    ///   - folders: the plugins that it names.
    init(_ root: ConfigSection, texts: [ConfigText], folders: PluginFolders) {
        func words(at paths: Set<String>) -> [String] { texts.filter { paths.contains($0.path) }.map(\.text) }
        self.apps = Self.names(
            texts.filter { WordCheck.appLists.contains($0.path) && $0.isAppID }.map(\.text) + self.wellKnownApps)
        let instances = root.section("plugins").sections("instances")
        let manifests = instances.compactMap { folders[$0.string("plugin")]?.manifest }
        let claims = manifests.flatMap(\.claims)
        self.channels = words(at: ["channels[].namespace"])
        self.namespaces = Self.names(
            Namespace.wellKnown.map(\.rawValue) + Self.presets.flatMap(\.namespaces)
                + words(at: ["virtual_devices[].apps.*.namespaces[]"]) + claims.map(\.match).filter { $0 != "*" })
        self.types = Self.names(Self.castTypes + claims.flatMap { $0.types ?? [] })
        self.pluginEvents = words(at: ["plugins.instances[].grant.events[]"]) + manifests.flatMap(\.needs.events)
        self.plugins = instances.map { $0.string("name") }
        self.components =
            Self.ownComponents + SDKClassNames.table.map(\.name) + self.plugins.map { "plugin.\($0)" }
        self.devices = Self.names(
            words(at: [
                "virtual_devices[].name", "groups.*", "discovery.static[].name", "virtual_devices[].target.device",
            ]))
    }

    private static func names(_ words: [String]) -> [String] { Set(words).sorted() }
}

extension ConfigText {
    /// Whether the text is the id of an app, or a pattern of ids.
    var isAppID: Bool {
        switch self.kind {
        case .appID, .appIDPattern: true
        default: false
        }
    }
}
