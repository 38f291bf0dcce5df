package import CastWire
package import GatewayConfig

/// `routing.rules[]`: one rule. Rules are judged from top to bottom.
package struct RoutingRule: ConfigObject {
    /// The action on a message that a rule matches.
    package enum Action: String, Sendable, CaseIterable {
        /// The message goes on to the handlers; no further rule is judged.
        case allow
        /// The sender gets an error.
        case reject
        /// The message disappears.
        case drop
        /// Members of the message are set and removed; then all rules are judged again.
        case rewrite
        /// The message goes on to the next rule while it keeps to the limit; else the sender gets an error.
        case limit
        /// One handler alone decides.
        case forwardTo = "forward_to"
    }

    /// The name of the rule, in logs and in `castway route explain`.
    package var name: String
    /// The messages that it is about; every part that is given must match.
    package var condition: RoutingCondition
    package var action: Action
    /// The reason given in the log and, for a rejection, to the sender.
    package var reason: String?
    /// For `rewrite`: the values to set, by JSON pointer (RFC 6901).
    package var set: [ConfigMapEntry<JSONValue>]?
    /// For `rewrite`: what is removed, as JSON pointers (RFC 6901).
    package var remove: [String]?
    /// For `limit`: what messages have to keep to.
    package var limit: RoutingLimit?
    /// For `forward_to`: the name of the handler.
    package var handler: String?

    package static let keys: [Key] = [
        .required(
            "name", \.name, .text(maximumBytes: 64), "The name of the rule in logs and in `castway route explain`",
            example: "no-unknown-apps"),
        .required(
            "when", \.condition, .object, "Which messages the rule is about; everything that is written must match",
            example: "{type: LAUNCH, not_app: [CC1AD845]}"),
        .required(
            "action", \.action, .word,
            "`allow` lets the message go on and ends the judging, `reject` answers with an error, `drop` does not "
                + "answer, `rewrite` changes members and has the rules judged again, `limit` rejects what exceeds the "
                + "limit, `forward_to` has one handler alone decide",
            example: "reject"),
        .optional(
            "reason", \.reason, .text(maximumBytes: 200), "The reason in the log and in the answer",
            example: "app not allowed here"),
        .optional(
            "set", \.set, .entries(key: .text(maximumBytes: 256), value: .json),
            "With `rewrite`: JSON pointers, and the value that each of these members gets",
            example: "{/media/customData/room: \"12\"}"),
        .optional(
            "remove", \.remove, .oneOrMore(of: .text(maximumBytes: 256)),
            "With `rewrite`: JSON pointers of members that are removed", example: "[/credentials]"),
        .optional(
            "limit", \.limit, .object, "With `limit`: what the messages have to keep to", example: "{rate: 10/1m}"),
        .optional(
            "handler", \.handler, .text(maximumBytes: 256),
            "With `forward_to`: the handler, by the name that `castway route explain` shows", example: "quiz"),
    ]

    package init(
        name: String, condition: RoutingCondition, action: Action, reason: String? = nil,
        set: [ConfigMapEntry<JSONValue>]? = nil, remove: [String]? = nil, limit: RoutingLimit? = nil,
        handler: String? = nil
    ) {
        self.name = name
        self.condition = condition
        self.action = action
        self.reason = reason
        self.set = set
        self.remove = remove
        self.limit = limit
        self.handler = handler
    }

    package init(blank: ConfigBlank) {
        self.init(name: "", condition: RoutingCondition(), action: .reject)
    }
}

/// `routing.rules[].limit`: what the messages that a rule matches have to keep to.
package struct RoutingLimit: ConfigSettings {
    /// The number of messages of one sender to one virtual device that pass in which time.
    package var rate: MessageRate?
    /// The highest level, 0 to 1, that SET_VOLUME may ask for; a higher one becomes this.
    package var volume: Double?
    /// The time an app may play, from the first message that starts media until its session is ended.
    package var play: Duration?

    package static let keys: [Key] = [
        .optional(
            "rate", \.rate, ConfigType<String>.text(maximumBytes: 32).converted({ MessageRate($0) }, \.description),
            "How many messages of one sender to one virtual device pass in which time; further ones are rejected",
            example: "10/1m"),
        .optional(
            "volume", \.volume, .number(0...1),
            "The highest volume that SET_VOLUME may ask for; a higher one becomes this", example: "0.6"),
        .optional(
            "play", \.play, .duration(.seconds(1) ... .seconds(86_400)),
            "How long an app may play, from the first message that starts media in it; then Castway ends its session",
            example: "30m"),
    ]

    package init() {}
}
