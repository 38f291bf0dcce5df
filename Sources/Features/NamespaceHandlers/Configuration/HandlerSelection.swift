package import GatewayConfig
package import GatewayCore

/// `handlers[]`: one handler, its place in the order, and within which limits it is asked.
package struct HandlerSelection: ConfigObject {
    /// The selected handler.
    package enum Use: String, Sendable, CaseIterable {
        case rules
        case launchCredentials = "launch-credentials"
        case receiver
        /// The media namespace: mends what some senders get wrong.
        case media
        /// The namespace of speaker groups.
        case multizone
        /// The set-up and discovery namespaces: answers with the virtual device's own identity.
        case setup
        /// A namespace of `channels`, or every one that is not named elsewhere in the list.
        case channel
        /// A plugin of `plugins.instances`, or every one that is not named elsewhere in the list.
        case plugin
    }

    package var use: Use
    /// For a plugin: its name; nil for every other one.
    package var name: String?
    /// For a channel: its namespace as it is written there; nil for every other one.
    package var namespace: String?
    package var isEnabled = true
    /// The virtual devices for which it is asked; nil for all.
    package var devices: [Glob]?
    /// The time it may take for one message; nil for what holds without.
    package var deadline: Duration?
    /// The policy for its failures; nil for what holds without.
    package var onFailure: FailurePolicy?

    package static let keys: [Key] = [
        .required(
            "use", \.use, .word,
            "A handler of Castway's own, or `channel` or `plugin`: without `namespace` or `name` every one that the list "
                + "does not name",
            example: "media"),
        .optional(
            "name", \.name, .text(maximumBytes: 64), "Of a plugin: its name in `plugins.instances`", example: "quiz"),
        .optional(
            "namespace", \.namespace, .namespacePattern, "Of a channel: its namespace as in `channels`",
            example: "\"urn:x-cast:com.example.echo\""),
        Key(
            "enabled", \.isEnabled, .boolean,
            "Whether it is asked; what is off neither changes nor answers messages, which go on without it"),
        .optional(
            "devices", \.devices, .oneOrMore(of: .glob(maximumBytes: 32)).notEmpty().namingGroups(.patterns),
            "The virtual devices and groups for which it is asked, with `*` and `?`; without it all",
            example: "[lobby, room-*]"),
        .optional(
            "deadline", \.deadline, .duration(.milliseconds(1) ... .seconds(10)),
            "How long it may take for one message; without it what `routing.deadlines` or the plugin's grant says",
            example: "1s"),
        .optional(
            "on_failure", \.onFailure, .word,
            "What it means when it fails or is late; without it what `routing.on_failure` or the plugin's grant says",
            example: "open"),
    ]

    /// Makes a selection; without further arguments of a handler that is asked as it is.
    package init(_ use: Use, _ change: (inout Self) -> Void = { _ in }) {
        self.use = use
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(.rules) }

    /// The selection in words: `media`, `plugin 'quiz'`.
    package var words: String {
        (self.name ?? self.namespace).map { "\(self.use.rawValue) '\($0)'" } ?? self.use.rawValue
    }
}
