import CastWire
package import GatewayConfig
package import GatewayCore

/// `routing.rules[].when`: which messages a rule is about. A part that is nil matches everything; of a list one element has to
/// match, of a list that is negated none may.
package struct RoutingCondition: ConfigObject {
    /// The namespaces of the message.
    package var namespace: [NamespacePattern]?
    /// Every namespace but these.
    package var notNamespace: [NamespacePattern]?
    /// The `type` of its JSON payload.
    package var type: [Glob]?
    /// Every `type` but these; a message without one is not matched.
    package var notType: [Glob]?
    /// The apps that the message launches, stops or is addressed to.
    package var app: [Glob]?
    /// Every app but these; a message that concerns no app is not matched.
    package var notApp: [Glob]?
    package var sender: [AddressRange]?
    /// Every address but these; a message without one is not matched.
    package var notSender: [AddressRange]?
    /// The name that the sender gives itself when it connects. The sender's word: nothing is proved by it.
    package var senderName: [Glob]?
    /// Every sender that names itself, but these.
    package var notSenderName: [Glob]?
    package var from: [MessageSource]?
    /// Everything but these.
    package var notFrom: [MessageSource]?
    /// The legs whose messages match; nil for those of senders alone.
    package var leg: [MessageLeg]?
    /// The names of the virtual devices; on the leg ``MessageLeg/own`` of the real ones.
    package var device: [Glob]?
    /// Every virtual device but these.
    package var notDevice: [Glob]?
    package var during: [WeekTimes]?
    /// Every time of the week but these.
    package var notDuring: [WeekTimes]?
    /// The time zone of ``during`` and ``notDuring``, such as `Europe/Berlin`; nil for that of `routing`.
    package var timeZone: String?

    package static let keys: [Key] = [
        .optional(
            "namespace", \.namespace, Self.some(of: Self.pattern), "The namespace, or a prefix that ends in `.*`",
            example: "\"urn:x-cast:com.google.cast.receiver\""),
        .optional(
            "not_namespace", \.notNamespace, Self.some(of: Self.pattern), "Matches every namespace but these",
            example: "\"urn:x-cast:com.example.*\""),
        .optional(
            "type", \.type, Self.some(of: .glob(maximumBytes: 128)), "The `type` of the message's JSON payload",
            example: "[LOAD, QUEUE_*]"),
        .optional(
            "not_type", \.notType, Self.some(of: .glob(maximumBytes: 128)),
            "Matches every `type` but these; not what has none", example: "GET_*"),
        .optional(
            "app", \.app, Self.some(of: .appIDPattern), "The app that the message launches, stops or is addressed to",
            example: "CC1AD845"),
        .optional(
            "not_app", \.notApp, Self.some(of: .appIDPattern), "Matches every app but these; not what concerns no app",
            example: "[CC1AD845]"),
        .optional(
            "app_not_in", \.notApp, Self.some(of: .appIDPattern), "An older name of `not_app`", example: "[CC1AD845]"),
        .optional(
            "sender", \.sender, Self.some(of: .addressRange), "The address of the sender", example: "10.20.0.0/16"),
        .optional(
            "not_sender", \.notSender, Self.some(of: .addressRange),
            "Matches every address but these; not what has none: a plugin, a caller of the API", example: "10.20.0.0/16"
        ),
        .optional(
            "sender_name", \.senderName, Self.some(of: .glob(maximumBytes: 256)),
            "What the sender calls itself when it connects: its `userAgent`, or the `model` of its `senderInfo`. No proof of who it is",
            example: "PyChromecast*"),
        .optional(
            "not_sender_name", \.notSenderName, Self.some(of: .glob(maximumBytes: 256)),
            "Matches every sender that names itself, but these", example: "\"*Android*\""),
        .optional(
            "from", \.from, Self.some(of: Self.source),
            "What the message came from: `sender` for a connection, `api` for callers by HTTP, WebSocket and the command line, `mqtt` for "
                + "the broker, `plugin:NAME` for a plugin, `own` for Castway itself and the apps that its own sessions are with",
            example: "sender"),
        .optional(
            "not_from", \.notFrom, Self.some(of: Self.source), "Matches everything but these",
            example: "\"plugin:*\""),
        .optional(
            "leg", \.leg, Self.some(of: .word),
            "Whose connection to the app the message passes: `sender` for senders of virtual devices, which is meant without it; `own` for "
                + "sessions of Castway's own with real devices, in both directions", example: "own"),
        .optional(
            "device", \.device, Self.some(of: .glob(maximumBytes: 32)).namingGroups(.patterns),
            "The name of the virtual device, or of a group; with `leg: own` of a real device",
            example: "room-*"),
        .optional(
            "not_device", \.notDevice, Self.some(of: .glob(maximumBytes: 32)).namingGroups(.patterns),
            "Matches every virtual device but these",
            example: "lobby"),
        .optional(
            "during", \.during, Self.some(of: Self.times), "The time of the week: days, hours or both",
            example: "[\"Mon-Fri 08:00-16:00\", \"Sat 22:00-02:00\"]"),
        .optional(
            "not_during", \.notDuring, Self.some(of: Self.times), "Matches every time of the week but these",
            example: "\"Mon-Fri 08:00-16:00\""),
        .optional(
            "time_zone", \.timeZone, .text(maximumBytes: 64),
            "The time zone of `during` and `not_during`; that of `routing` without it", example: "Europe/Berlin"),
    ]

    /// One value or several. None at all would match nothing, or with a negation everything, and so is refused.
    private static func some<Element>(of element: ConfigType<Element>) -> ConfigType<[Element]> {
        .oneOrMore(of: element).notEmpty("leave the key out where it does not matter")
    }
    /// The schema admits patterns only; a rule must never match more than what is written.
    private static let pattern = ConfigType<String>.namespacePattern
        .converted({ NamespacePattern($0) ?? .exact(Namespace(rawValue: $0)) }, { "\($0)" })
    private static let source = ConfigType<String>.text(maximumBytes: 80)
        .converted({ MessageSource($0) }, \.description)
    private static let times = ConfigType<String>.text(maximumBytes: 64).converted({ WeekTimes($0) }, \.description)

    package init(
        namespace: [NamespacePattern]? = nil, notNamespace: [NamespacePattern]? = nil, type: [Glob]? = nil,
        notType: [Glob]? = nil, app: [Glob]? = nil, notApp: [Glob]? = nil, sender: [AddressRange]? = nil,
        notSender: [AddressRange]? = nil, senderName: [Glob]? = nil, notSenderName: [Glob]? = nil,
        from: [MessageSource]? = nil, notFrom: [MessageSource]? = nil, leg: [MessageLeg]? = nil,
        device: [Glob]? = nil, notDevice: [Glob]? = nil, during: [WeekTimes]? = nil, notDuring: [WeekTimes]? = nil,
        timeZone: String? = nil
    ) {
        self.namespace = namespace
        self.notNamespace = notNamespace
        self.type = type
        self.notType = notType
        self.app = app
        self.notApp = notApp
        self.sender = sender
        self.notSender = notSender
        self.senderName = senderName
        self.notSenderName = notSenderName
        self.from = from
        self.notFrom = notFrom
        self.leg = leg
        self.device = device
        self.notDevice = notDevice
        self.during = during
        self.notDuring = notDuring
        self.timeZone = timeZone
    }

    package init(blank: ConfigBlank) { self.init() }

    /// The legs on which messages may match.
    package var legs: Set<MessageLeg> { Set(self.leg ?? [.sender]) }
}

/// The source of a message: a sender's connection, a caller of the gateway, the gateway itself, or a plugin.
package enum MessageSource: Hashable, Sendable, CustomStringConvertible {
    /// A sender that is connected to the virtual device.
    case sender
    /// A caller by HTTP, WebSocket or the command line.
    case api
    case mqtt
    /// The gateway itself; on the leg ``MessageLeg/own`` also the app that the session is with.
    case own
    /// A plugin, by the name of its instance.
    case plugin(Glob)

    private static let pluginPrefix = "plugin:"

    /// Reads `sender`, `api`, `mqtt`, `own` or `plugin:NAME`, where the name may have wildcards; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "sender": self = .sender
        case "api": self = .api
        case "mqtt": self = .mqtt
        case "own": self = .own
        default:
            guard text.hasPrefix(Self.pluginPrefix), text != Self.pluginPrefix else { return nil }
            self = .plugin(Glob(String(text.dropFirst(Self.pluginPrefix.count))))
        }
    }

    /// The source as it is written in `gateway.yaml`.
    package var description: String {
        switch self {
        case .sender: "sender"
        case .api: "api"
        case .mqtt: "mqtt"
        case .own: "own"
        case .plugin(let name): "\(Self.pluginPrefix)\(name)"
        }
    }
}
