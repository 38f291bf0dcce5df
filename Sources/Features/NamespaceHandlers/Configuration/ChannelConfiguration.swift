package import GatewayConfig
package import GatewayCore

/// `channels[]`: custom namespaces that Castway answers itself or bridges, on all virtual devices or some.
package struct ChannelConfiguration: ConfigObject {
    /// The handler that answers on the namespaces without a back end.
    package enum Handler: String, Sendable, CaseIterable {
        /// Sends every message back to where it came from.
        case echo
        /// Sends every message to every sender of the same app.
        case broadcast
    }

    /// The direction of the messages that are delivered.
    package enum Direction: String, Sendable, CaseIterable {
        case fromSenders = "from_senders"
        case fromApp = "from_app"
        case both
    }

    /// The allowed payloads.
    package enum Format: String, Sendable, CaseIterable {
        /// Text that is JSON.
        case json
        case text
        case binary
    }

    /// A source of messages into the channel from outside of Cast.
    package enum Entrance: String, Sendable, CaseIterable {
        /// `message.send` and `message.broadcast` over HTTP, WebSocket and the command line.
        case api
        case mqtt
    }

    /// The namespace, `urn:x-cast:…`, or all below a prefix, `urn:x-cast:….*`.
    package var namespace: String
    /// The names of the virtual devices, on the leg ``MessageLeg/own`` of the real ones, which may have wildcards; nil for all.
    package var devices: [Glob]?
    /// The legs whose connections to apps it is about.
    package var legs = [MessageLeg.sender]
    /// The handler that answers; nil for none of Castway's own.
    package var handler: Handler?
    package var direction = Direction.fromSenders
    /// True if the app gets what senders send, too; nil where it depends on ``reply``.
    package var forward: Bool?
    package var deliver: [ChannelDelivery] = []
    /// The sources that may send messages into the channel.
    package var accept = [Entrance.api]
    /// The webhook that answers senders.
    package var reply: ChannelReply?
    /// The treatment of messages for an app that does not run.
    package var whenAbsent = ChannelAbsence.drop
    /// The format of payloads; nil for all.
    package var format: Format?
    package var limits = ChannelLimits()

    package static let keys: [Key] = [
        .required(
            "namespace", \.namespace, .namespacePattern, "The namespace, or a prefix that ends in `.*`",
            example: "\"urn:x-cast:com.example.echo\""),
        .optional(
            "devices", \.devices, .oneOrMore(of: .glob(maximumBytes: 32)).notEmpty().namingGroups(.patterns),
            "The virtual devices and groups on which it answers, by name; all without it. Several channels may share a namespace on "
                + "different devices. On the leg `own` they are real devices",
            example: "[lobby, room-*]"),
        Key(
            "legs", \.legs, .list(of: .word),
            "Whose connections to apps it is about: `sender`, those of senders to virtual devices; `own`, those of Castway's own sessions "
                + "with real devices, where what the app says is delivered, and `reply` answers the app",
            example: "[own]"),
        .optional(
            "handler", \.handler, .word,
            "`echo` sends every message back, `broadcast` sends it to every sender of the app", example: "echo"),
        Key(
            "deliver", \.deliver, .list(of: .object),
            "Where messages are delivered, at least once and in their order",
            example: "[{webhook: backend}, {mqtt: true}]"),
        Key(
            "direction", \.direction, .word,
            "Whose messages are delivered: those `from_senders`, those `from_app`, or `both`. On the leg `own` those of the app are"
        ),
        .optional(
            "forward", \.forward, .boolean,
            "Whether the app gets what senders send; without it as if nothing was delivered, but not where `reply` or `handler` answers",
            example: "false"),
        .optional(
            "reply", \.reply, .object,
            "A webhook whose answer is the reply to the sender, on the leg `own` to the app; what is delivered to the same webhook is the same request",
            example: "{webhook: backend, deadline: 2s}"),
        Key(
            "accept", \.accept, .list(of: .word),
            "What may send messages into the channel from outside of Cast: `api`, `mqtt`", example: "[api, mqtt]"),
        Key(
            "when_absent", \.whenAbsent, ChannelAbsence.type,
            "What becomes of messages from outside of Cast for an app that does not run: `drop`, or kept until it does",
            example: "{keep: 1h, at_most: 1000}"),
        .optional(
            "format", \.format, .word,
            "Which payloads are taken: `json`, `text` or `binary`; all without it. Others are refused", example: "json"),
        Key("limits", \.limits, .object, "How large messages may be, and how many of them may come"),
    ]

    /// The name under which what answers is registered as a handler. Channels that share a namespace are one handler.
    package var handlerName: String { "channel \(self.namespace)" }

    /// Makes a configuration from its parts.
    /// - Parameter change: sets what else is not as in an empty mapping.
    package init(
        namespace: String, devices: [Glob]? = nil, handler: Handler? = nil, _ change: (inout Self) -> Void = { _ in }
    ) {
        self.namespace = namespace
        self.devices = devices
        self.handler = handler
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(namespace: "") }

    /// True if the app gets what senders send.
    var forwards: Bool { self.forward ?? (self.reply == nil && self.handler == nil) }

    /// Whether a real device is one of ``devices``.
    package func isMeant(real device: String) -> Bool { self.devices?.contains { $0.matches(device) } ?? true }

    /// The virtual devices on which the channel answers, by name; nil for all.
    /// - Parameter names: those that there are, for wildcards.
    func claimedDevices(among names: [String]) -> Set<String>? {
        self.devices.map { devices in
            Set(devices.filter { !$0.hasWildcards }.map(\.pattern))
                .union(names.filter { name in devices.contains { $0.matches(name) } })
        }
    }
}

extension ChannelConfiguration {
    /// Adds what the keys of one channel say against one another.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let keys = ["handler", "deliver", "reply", "accept", "when_absent"]
        // What is written wrongly is reported as such.
        let legs = Self.legs(of: section)
        let does = keys.contains { section.isWritten($0) || section.value($0)?.isValid == false } || legs.contains(.own)
        if !does {
            problems.add(
                .missingKey, at: section.location,
                "the channel '\(section.string("namespace"))' does nothing",
                hint:
                    "say what answers ('handler: echo'), or where messages are delivered ('deliver: [{webhook: NAME}]')"
            )
        }
        if section.isWritten("handler"), section.isWritten("reply") {
            problems.add(
                .inconsistent, at: section.location("reply"), "'handler' and 'reply' cannot both answer the sender")
        }
        if section.isWritten("handler"), section.isWritten("forward") {
            problems.add(
                .inconsistent, at: section.location("forward"), "what 'handler' answers does not reach the app",
                hint: "leave 'forward' out")
        }
        Self.check(legs, of: section, &problems)
        let isFromApp = section.isValid("direction") && section.string("direction") == "from_app"
        for key in ["reply", "handler"]
        where isFromApp && section.isWritten(key) && (key == "handler" || !legs.contains(.own)) {
            problems.add(
                .inconsistent, at: section.location(key),
                "'\(key)' answers senders, and 'direction: from_app' leaves them out")
        }
    }

    /// The legs that a channel names; those that are written wrongly are left out.
    static func legs(of section: ConfigSection) -> Set<MessageLeg> {
        guard section.isWritten("legs") else { return [.sender] }
        return Set(section.list("legs").compactMap { $0.string.flatMap(MessageLeg.init(rawValue:)) })
    }

    /// Adds what a channel says of senders that it leaves out.
    private static func check(_ legs: Set<MessageLeg>, of section: ConfigSection, _ problems: inout ConfigProblems) {
        if section.isWritten("legs"), section.list("legs").isEmpty, section.isValid("legs") {
            problems.add(
                .outOfRange, at: section.location("legs"), "'\(section.path("legs"))' names no leg",
                hint: "leave it out, or write [own] or [sender, own]")
        }
        guard legs == [.own] else { return }
        for key in ["handler", "forward"] where section.isWritten(key) {
            problems.add(
                .inconsistent, at: section.location(key),
                "'\(key)' is about what senders say, and 'legs: [own]' leaves them out",
                hint: "use 'reply' to answer the app, or write 'legs: [sender, own]'")
        }
        if section.isWritten("direction"), section.isValid("direction"), section.string("direction") == "from_senders" {
            problems.add(
                .inconsistent, at: section.location("direction"),
                "'direction: from_senders' leaves out the app, and 'legs: [own]' the senders",
                hint: "leave 'direction' out: on the leg 'own' what the app says is delivered")
        }
    }

    /// A channel of a file that further ones are compared with.
    private struct Place {
        let namespace: String
        let legs: Set<MessageLeg>
        /// nil for all; names of real devices stand beside those of virtual ones.
        let devices: Set<String>?
        let location: ConfigLocation

        func overlaps(_ other: Self) -> Bool {
            guard self.namespace == other.namespace, !self.legs.isDisjoint(with: other.legs) else { return false }
            guard let own = self.devices, let others = other.devices else { return true }
            return !own.isDisjoint(with: others)
        }

        /// On which devices both answer, for people.
        func shared(with other: Self) -> String {
            let shared: Set<String> =
                switch (self.devices, other.devices) {
                case (nil, nil): []
                case (let own?, nil): own
                case (nil, let others?): others
                case (let own?, let others?): own.intersection(others)
                }
            guard !shared.isEmpty else { return "" }
            return " on \(shared.sorted().prefix(6).joined(separator: ", "))\(shared.count > 6 ? ", …" : "")"
        }
    }

    /// The prefix of Castway's own namespaces.
    private static let castPrefix = "urn:x-cast:com.google.cast."

    /// Adds what is wrong with the channels of a file: namespaces of the Cast protocol, unknown devices, and channels that
    /// share a namespace on a device.
    ///
    /// - Parameters:
    ///   - channels: The checked elements of `channels`.
    ///   - owned: Namespaces that have an owner already, with who it is, for people.
    ///   - webhooks: The names of all webhooks; nil when they are not known for sure.
    package static func check(
        _ channels: [ConfigSection], owned: [String: String], devices: NamedDevices, webhooks: [String]?, hasMQTT: Bool,
        problems: inout ConfigProblems
    ) {
        var earlier: [Place] = []
        for channel in channels {
            Self.checkNamespace(channel, owned, &problems)
            Self.checkWebhooks(channel, webhooks, hasMQTT: hasMQTT, &problems)
            let globs = channel.value("devices").map { value in (value.list ?? [value]).filter(\.isValid) }
            let legs = Self.legs(of: channel)
            for glob in globs ?? [] { devices.check(glob, on: legs, &problems) }
            guard channel.isValid("namespace"), globs == nil || devices.virtual != nil else { continue }
            let named = Self(
                namespace: channel.string("namespace"), devices: globs.map { $0.compactMap(\.string).map { Glob($0) } },
                handler: .echo)
            let place = Place(
                namespace: named.namespace, legs: legs,
                devices: named.claimedDevices(among: (devices.virtual ?? []) + devices.real),
                location: channel.location("namespace"))
            if let first = earlier.first(where: place.overlaps) {
                problems.add(
                    .duplicateName, at: place.location,
                    "namespace '\(place.namespace)' is used twice in 'channels'\(place.shared(with: first))",
                    hint: "first at \(first.location)")
            }
            earlier.append(place)
        }
    }

    private static func checkWebhooks(
        _ channel: ConfigSection, _ webhooks: [String]?, hasMQTT: Bool, _ problems: inout ConfigProblems
    ) {
        let deliveries = channel.sections("deliver")
        for section in deliveries + [channel.optionalSection("reply")].compactMap({ $0 })
        where section.isValid("webhook") {
            guard let webhooks, let name = section.optionalString("webhook"), !webhooks.contains(name) else { continue }
            problems.addUndefined(
                name, what: "webhook", at: section.location("webhook"), known: webhooks, place: "bridges.webhooks")
        }
        guard !hasMQTT else { return }
        let hint = "say under 'bridges' where the broker is, or leave this out"
        for section in deliveries where section.isWritten("mqtt") {
            problems.add(
                .undefinedReference, at: section.location("mqtt"), "there is no 'bridges.mqtt' to deliver to",
                hint: hint)
        }
        if let entrance = channel.list("accept").first(where: { $0.string == "mqtt" }) {
            problems.add(
                .undefinedReference, at: entrance.location, "there is no 'bridges.mqtt' to accept from", hint: hint)
        }
    }

    private static func checkNamespace(
        _ channel: ConfigSection, _ owned: [String: String], _ problems: inout ConfigProblems
    ) {
        let location = channel.location("namespace")
        let namespace = channel.string("namespace")
        problems.addIfReserved(namespace, at: location)
        guard channel.isValid("namespace") else { return }
        let hint = "use a namespace of your own, such as urn:x-cast:com.example.echo"
        if let owner = owned[namespace] {
            problems.add(
                .claimConflict, at: location, "'\(namespace)' is no custom namespace: \(owner) handles it", hint: hint)
        }
        guard case .prefix(let prefix) = NamespacePattern(namespace), !prefix.hasPrefix(Self.transportPrefix),
            prefix.hasPrefix(Self.castPrefix) || Self.castPrefix.hasPrefix(prefix)
        else { return }
        problems.add(
            .claimConflict, at: location, "'\(namespace)' takes in namespaces of the Cast protocol itself", hint: hint)
    }

    /// Patterns that begin so are reported as reserved.
    private static let transportPrefix = "urn:x-cast:com.google.cast.tp."
}
