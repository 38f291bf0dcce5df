package import GatewayConfig

/// `virtual_devices[].apps`: one app of a virtual device.
package struct VirtualAppConfiguration: ConfigObject {
    /// The id of the default media receiver.
    package static let defaultMediaReceiver = "CC1AD845"

    /// The player that answers media requests to the app.
    package enum Player: Sendable, Hashable {
        case simulated
        /// Nothing: the app has no media namespace of its own.
        case none
        /// A plugin, by the name of its instance: it owns the app's media namespace on this device.
        case plugin(String)

        /// The player when the file does not say: the simulated player for the default media receiver of a local device.
        static func usual(for app: String, isLocal: Bool) -> Player {
            app == VirtualAppConfiguration.defaultMediaReceiver && isLocal ? .simulated : .none
        }
    }

    /// The type reported for an app.
    package enum Kind: String, Sendable, CaseIterable {
        case web = "WEB"
        case androidTV = "ANDROID_TV"
    }

    /// The end of a launch of the app on the built-in receiver.
    package enum LaunchOutcome: String, Sendable, CaseIterable {
        case allow
        /// `LAUNCH_ERROR` with `NOT_FOUND`.
        case notFound = "not_found"
        /// `LAUNCH_ERROR` with `NOT_ALLOWED`.
        case notAllowed = "not_allowed"
        /// `LAUNCH_ERROR` with `CANCELLED`.
        case cancelled
        /// No answer at all.
        case timeout
    }

    /// The app's id, for example `CC1AD845`.
    package var id: String
    /// The name shown to senders; nil leaves it to the receiver platform.
    package var name: String?
    /// The custom namespaces of the app.
    package var namespaces: [String] = []
    package var player = Player.none
    /// The status text while the app runs; nil leaves it to the receiver platform.
    package var statusText: String?
    package var kind = Kind.web
    package var iconURL: String?
    /// The number of the app's version; nil when it has none.
    package var versionCode: Int?
    /// The time from the moment its last sender left until the app is closed, zero means never; nil is as the device
    /// says.
    package var idleTimeout: Duration?
    package var launch = LaunchOutcome.allow
    package var options = SimulationOptions()
    /// The source of its queue's items, when the simulated player plays it.
    package var queue = VirtualQueueConfiguration()
    /// True if the app comes from an ``AppPreset`` alone, and nothing is written for its id.
    package var isPreset = false

    /// The schema of `apps`: a list of ids, or a mapping of ids to details, with presets.
    package static let appsSchema = ConfigSchema.oneOf(
        .list(of: .appID), .openObject([AppPreset.key], key: .appID, value: Self.schema))

    /// The keys of one app; its id is the key of the mapping that holds it.
    package static let keys: [Key] = [
        .optional("name", \.name, .text(maximumBytes: 200), "The name shown to senders", example: "Quiz"),
        Key(
            "namespaces", \.namespaces, .list(of: .namespace), "The custom namespaces of the app",
            example: "[\"urn:x-cast:com.example.quiz\"]"),
        .custom(
            "player",
            .oneOf(
                .word("simulated", "none"),
                .object([
                    ConfigField(
                        "plugin", .text(maximumBytes: 64), .required,
                        "The name of an instance in `plugins.instances` whose `plugin.yaml` asks to handle "
                            + "`urn:x-cast:com.google.cast.media`; it owns that namespace of the app on this device",
                        example: "jukebox")
                ])),
            .optional,
            "What answers media requests: `simulated`, `none`, or a plugin. Without it the simulated player for CC1AD845 on a "
                + "local device, otherwise none",
            example: "simulated", isSame: { $0.player == $1.player },
            read: { value, app in
                if let plugin = value.section {
                    app.player = .plugin(plugin.string("plugin"))
                } else {
                    app.player = value.string == "simulated" ? .simulated : .none
                }
            }),
        .optional(
            "status_text", \.statusText, .text(maximumBytes: 200), "The status text while the app runs",
            example: "Waiting for players"),
        Key("type", \.kind, .word, "The type reported for the app"),
        .optional(
            "icon_url", \.iconURL, .text(maximumBytes: 2000), "The address of the app's icon",
            example: "https://cdn.example.com/quiz.png"),
        .optional(
            "version_code", \.versionCode, .integer(0...2_147_483_647),
            "The number of the app's version, which operations, events and plugins are told on the built-in receiver",
            example: "3"),
        .optional(
            "idle_timeout", \.idleTimeout, .duration(),
            "How long after its last sender left the app is closed on the built-in receiver; `0s` means never. Without it as "
                + "the device's `idle_timeout` says",
            example: "1m"),
        Key("launch", \.launch, .word, "How a launch ends on the built-in receiver, for testing senders"),
        Key("options", \.options, .object, "How the simulated player behaves"),
        Key("queue", \.queue, .object, "Where the items of the simulated player's queue come from"),
    ]

    /// Makes the configuration of an app; what is not changed has the default of `gateway.yaml` for other apps than media.
    package init(id: String, _ change: (inout Self) -> Void = { _ in }) {
        self.id = id
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(id: "") }

    /// Reads the apps of a device from a list of ids or a mapping of ids to details, in the order of the file.
    ///
    /// What is written for an id that a preset has too changes the preset's app, and makes it one that the operator wants as it
    /// is, also when nothing plays it.
    /// - Parameter isLocal: whether they run on the built-in receiver; decides the player when none is written.
    package static func apps(reading value: ConfigValue, isLocal: Bool) -> [VirtualAppConfiguration] {
        guard let entries = value.map else {
            return (value.list ?? []).compactMap(\.string).map { Self.app($0, isLocal: isLocal) }
        }
        var apps: [VirtualAppConfiguration] = []
        let presets = entries.filter { $0.key == AppPreset.key.name }.flatMap { AppPreset.named(by: $0.value) }
        for app in presets.flatMap({ $0.apps(isLocal: isLocal) }) where !apps.contains(where: { $0.id == app.id }) {
            apps.append(app)
        }
        for entry in entries where entry.key != AppPreset.key.name {
            guard let details = entry.value.section else { continue }
            let index = apps.firstIndex { $0.id == entry.key }
            var app = index.map { apps[$0] } ?? Self.app(entry.key, isLocal: isLocal)
            let namespaces = app.namespaces
            app.isPreset = false
            app.read(details)
            // An empty list is what `config print` shows of an app whose namespaces come from its preset.
            if app.namespaces.isEmpty { app.namespaces = namespaces }
            if let index { apps[index] = app } else { apps.append(app) }
        }
        return apps
    }

    private static func app(_ id: String, isLocal: Bool) -> VirtualAppConfiguration {
        VirtualAppConfiguration(id: id) { $0.player = .usual(for: id, isLocal: isLocal) }
    }

    /// Adds what is wrong with `apps` of one device: presets that are listed twice, and those of which nothing runs here.
    /// - Parameter path: the dotted name of the key.
    package static func checkPresets(
        in value: ConfigValue, path: String, isLocal: Bool, problems: inout ConfigProblems
    ) {
        let entries = value.map ?? []
        let ids = Set(entries.map(\.key))
        for entry in entries where entry.key == AppPreset.key.name {
            AppPreset.check(
                entry.value, path: "\(path).\(entry.key)", isLocal: isLocal, ids: ids, problems: &problems)
        }
    }
}
