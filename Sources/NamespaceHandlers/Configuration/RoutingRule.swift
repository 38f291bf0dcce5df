import CastWire
public import GatewayConfig
public import GatewayCore

/// `routing.rules[]`: one rule; the first that matches a message decides.
public struct RoutingRule: ConfigObject {
    /// What a rule does with a message.
    public enum Action: String, Sendable, CaseIterable {
        /// The sender gets an error.
        case reject
        /// The message disappears.
        case drop
    }

    /// The name of the rule, in logs and in `castway route explain`.
    public var name: String
    /// Which messages it is about; every part that is given must match.
    public var condition: RoutingCondition
    /// What it does with them.
    public var action: Action
    /// The reason given in the log and, for a rejection, to the sender.
    public var reason: String?

    /// The keys of `routing.rules[]`.
    public static let keys: [Key] = [
        .required(
            "name", \.name, .text(maximumBytes: 64), "The name of the rule in logs and in `castway route explain`",
            example: "no-unknown-apps"),
        .required(
            "when", \.condition, .object, "Which messages the rule is about; everything that is written must match",
            example: "{type: LAUNCH, app_not_in: [CC1AD845]}"),
        .required(
            "action", \.action, .word, "`reject` answers with an error, `drop` does not answer", example: "reject"),
        .optional(
            "reason", \.reason, .text(maximumBytes: 200), "The reason in the log and in the answer",
            example: "app not allowed here"),
    ]

    /// Makes a rule from its parts.
    public init(name: String, condition: RoutingCondition, action: Action, reason: String? = nil) {
        self.name = name
        self.condition = condition
        self.action = action
        self.reason = reason
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) {
        self.init(name: "", condition: RoutingCondition(), action: .reject)
    }

    /// Adds what is wrong between the values of one rule: an empty condition, an unknown device.
    static func check(_ section: ConfigSection, virtualDevices: [String]?, problems: inout ConfigProblems) {
        guard let condition = section.optionalSection("when") else { return }
        let keys = RoutingCondition.keys.map(\.name)
        if !keys.contains(where: { condition.has($0) }) {
            problems.add(
                .emptyCondition,
                at: condition.location,
                "'\(condition.path)' is empty, so the rule would match every message",
                hint: "name what it is about: \(keys.joined(separator: ", "))"
            )
        }
        if let device = condition.optionalString("device"), let virtualDevices, !virtualDevices.contains(device) {
            problems.addUndefined(
                device,
                what: "virtual device",
                at: condition.location("device"),
                known: virtualDevices,
                place: "virtual_devices"
            )
        }
    }
}

/// `routing.rules[].when`: which messages a rule is about. A part that is nil matches everything.
public struct RoutingCondition: ConfigObject {
    /// The namespace of the message.
    public var namespace: NamespacePattern?
    /// The `type` of its JSON payload, exactly.
    public var type: String?
    /// The app the message launches or belongs to.
    public var app: String?
    /// Matches when the app the message launches or belongs to is none of these.
    public var appNotIn: [String]?
    /// The address of the sender.
    public var sender: AddressRange?
    /// The name of the virtual device.
    public var device: String?

    /// The keys of `routing.rules[].when`.
    public static let keys: [Key] = [
        .optional(
            "namespace", \.namespace, Self.pattern, "The namespace, or a prefix that ends in `.*`",
            example: "\"urn:x-cast:com.google.cast.receiver\""),
        .optional(
            "type", \.type, .text(maximumBytes: 128), "The `type` of the message's JSON payload", example: "LAUNCH"),
        .optional(
            "app", \.app, .appID, "The app that the message launches, stops or is addressed to", example: "CC1AD845"),
        .optional(
            "app_not_in", \.appNotIn, .list(of: .appID), "Matches every app but these", example: "[CC1AD845]"),
        .optional("sender", \.sender, .addressRange, "The address of the sender", example: "10.20.0.0/16"),
        .optional("device", \.device, .text(maximumBytes: 32), "The name of a virtual device", example: "lobby"),
    ]

    /// The schema admits patterns only; a rule must never match more than what is written.
    private static let pattern = ConfigType<String>.namespacePattern
        .converted({ NamespacePattern($0) ?? .exact(Namespace(rawValue: $0)) }, { "\($0)" })

    /// Makes a condition from its parts.
    public init(
        namespace: NamespacePattern? = nil,
        type: String? = nil,
        app: String? = nil,
        appNotIn: [String]? = nil,
        sender: AddressRange? = nil,
        device: String? = nil
    ) {
        self.namespace = namespace
        self.type = type
        self.app = app
        self.appNotIn = appNotIn
        self.sender = sender
        self.device = device
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init() }
}
