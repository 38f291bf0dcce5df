public import GatewayConfig

/// `virtual_devices[].apps`: one app of a virtual device.
public struct VirtualAppConfiguration: ConfigObject {
    /// The id of the default media receiver.
    public static let defaultMediaReceiver = "CC1AD845"

    /// What answers media requests to the app.
    public enum Player: Sendable, Hashable {
        /// The simulated player.
        case simulated
        /// Nothing: the app has no media namespace of its own.
        case none
        /// A plugin, by the name of its instance: it owns the app's media namespace on this device.
        case plugin(String)

        /// What answers when the file does not say: the simulated player for the default media receiver of a local device.
        static func usual(for app: String, isLocal: Bool) -> Player {
            app == VirtualAppConfiguration.defaultMediaReceiver && isLocal ? .simulated : .none
        }
    }

    /// The type reported for an app.
    public enum Kind: String, Sendable, CaseIterable {
        /// A web receiver.
        case web = "WEB"
        /// An Android TV app.
        case androidTV = "ANDROID_TV"
    }

    /// How a launch of the app ends on the built-in receiver.
    public enum LaunchOutcome: String, Sendable, CaseIterable {
        /// The app starts.
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
    public var id: String
    /// The name shown to senders; nil leaves it to the receiver platform.
    public var name: String?
    /// The custom namespaces of the app.
    public var namespaces: [String] = []
    /// What answers media requests.
    public var player = Player.none
    /// The status text while the app runs; nil leaves it to the receiver platform.
    public var statusText: String?
    /// The reported type.
    public var kind = Kind.web
    /// The address of the app's icon.
    public var iconURL: String?
    /// How a launch ends.
    public var launch = LaunchOutcome.allow
    /// The behaviour of the simulated player.
    public var options = SimulationOptions()

    /// The keys of one app; its id is the key of the mapping that holds it.
    public static let keys: [Key] = [
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
        Key("launch", \.launch, .word, "How a launch ends on the built-in receiver, for testing senders"),
        Key("options", \.options, .object, "How the simulated player behaves"),
    ]

    /// Makes the configuration of an app; what is not changed has the default of `gateway.yaml` for other apps than media.
    public init(id: String, _ change: (inout Self) -> Void = { _ in }) {
        self.id = id
        change(&self)
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init(id: "") }

    /// Reads the apps of a device from a list of ids or a mapping of ids to details, in the order of the file.
    /// - Parameter isLocal: whether they run on the built-in receiver; decides the player when none is written.
    public static func apps(reading value: ConfigValue, isLocal: Bool) -> [VirtualAppConfiguration] {
        func app(_ id: String, _ details: ConfigSection?) -> VirtualAppConfiguration {
            VirtualAppConfiguration(id: id) {
                $0.player = .usual(for: id, isLocal: isLocal)
                if let details { $0.read(details) }
            }
        }
        if let entries = value.map { return entries.compactMap { app($0.key, $0.value.section) } }
        return (value.list ?? []).compactMap(\.string).map { app($0, nil) }
    }
}
