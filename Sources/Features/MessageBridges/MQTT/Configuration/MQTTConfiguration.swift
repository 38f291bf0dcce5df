import CastWire
package import GatewayConfig
package import GatewayOperations

/// `bridges.mqtt`: the broker, and what of the gateway is reached through it.
package struct MQTTConfiguration: ConfigObject {
    package enum Version: Sendable, Hashable {
        case v5
        case v311
    }

    /// The broker: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`; the ports are 1883 and 8883 unless written.
    package var url = ""
    /// The user name; nil for a client without a name.
    package var username: String?
    package var password: Secret?
    /// The client identifier; nil for `castway-` and `gateway.id`.
    package var clientID: String?
    /// The prefix of all topics, without a slash at its ends.
    package var prefix = "castway"
    package var version = Version.v5
    /// PEM certificates of those that may sign the broker's certificate; nil for those that the system trusts.
    package var certificateAuthorityFile: String?
    /// A PEM certificate that the gateway shows; with ``privateKeyFile``.
    package var certificateFile: String?
    package var privateKeyFile: String?
    /// The scopes of all clients that the broker lets publish to the gateway's command topics.
    package var scopes: [OperationScope] = [.read, .control]
    /// The devices that are published and can be commanded, with `*` for any number of characters; nil for all.
    package var devices: [String]?
    /// A second language for failures of devices and sessions, in answers to commands; nil for none.
    package var language: ErrorLanguage?
    /// The topics for answers beside `PREFIX/GATEWAY/rpc-reply/…`; filters of MQTT.
    package var responseTopics: [String] = []
    /// The types of events that are published, with `*`.
    package var events: [String] = []
    /// The topic of messages of channels, with placeholders; nil for below the gateway's own topics.
    package var channelTopic: String?
    package var homeAssistant = HomeAssistantConfiguration()
    /// Further callers of operations, by the name in the topic `rpc/NAME/OPERATION`.
    package var principals: [String: MQTTPrincipalConfiguration] = [:]
    /// The interval at which the broker hears from a silent gateway; from 5 seconds to an hour.
    package var keepAlive = Duration.seconds(30)
    /// The bounds of what waits for the broker.
    package var queue = MQTTQueueConfiguration()
    /// The bounds of what the broker refused for good.
    package var deadLetters = MQTTDeadLettersConfiguration()

    package static let keys: [Key] = [
        .required(
            "url", \.url, .text(maximumBytes: 300),
            "The broker: `mqtt://HOST:PORT`, or `mqtts://HOST:PORT` with TLS; the ports are 1883 and 8883 unless they are written",
            example: "mqtts://broker.example.com"),
        .optional(
            "username", \.username, .text(maximumBytes: 256), "Who the gateway is to the broker", example: "castway"),
        .optional(
            "password", \.password, .secret, "What proves it", example: "${CREDENTIALS_DIRECTORY}/castway_broker"),
        .optional(
            "client_id", \.clientID, .text(allowed: "a-zA-Z0-9._-", length: 1...128),
            "The client identifier, of which a broker lets one connect at a time; without it `castway-` and `gateway.id`"
        ),
        Key(
            "prefix", \.prefix, .text(maximumBytes: 200),
            "What all topics of the gateway begin with, before `gateway.id`"),
        Key(
            "protocol", \.version,
            ConfigType<Int?>.integer(5...5, orNil: "3.1.1").converted(
                { $0 == nil ? .v311 : .v5 }, { $0 == .v5 ? 5 : nil }),
            "The version of MQTT. With 3.1.1 requests say in their body where they are answered"),
        .optional(
            "ca_file", \.certificateAuthorityFile, .path,
            "A PEM file with those that may sign the broker's certificate; without it those that the system trusts",
            example: "/etc/castway/broker-ca.crt"),
        .optional(
            "certificate_file", \.certificateFile, .path,
            "A PEM file with a certificate that the gateway shows the broker",
            example: "${CREDENTIALS_DIRECTORY}/castway_broker.crt"),
        .optional(
            "private_key_file", \.privateKeyFile, .path, "A PEM file with the private key of that certificate",
            example: "${CREDENTIALS_DIRECTORY}/castway_broker.key"),
        Key(
            "scopes", \.scopes, .list(of: .word),
            "What everything may do that the broker lets publish to the gateway's command topics: `read`, `control`, `messages`. MQTT "
                + "does not tell who published, so `credentials` and `admin` are not for it",
            example: "[read, control]"),
        .optional(
            "devices", \.devices, .list(of: .text(maximumBytes: 64)),
            "The devices that are published and can be commanded, with `*` for any number of characters; all without it",
            example: "[hall, \"room-1*\"]"),
        .optional(
            "language", \.language, .word,
            "The language that answers to commands say in besides what the number of a failure means, as `localized_description`; without it they "
                + "do not say it. A principal may have its own",
            example: "de"),
        Key(
            "response_topics", \.responseTopics, .list(of: .text(maximumBytes: 1024)),
            "Where answers to commands may go besides `PREFIX/GATEWAY/rpc-reply/…`, with `+` for any level and `#` at the end for any number of "
                + "them; the first level is written out. The gateway publishes them with its own rights, for every caller",
            example: "[panels/+/answers]"),
        Key(
            "events", \.events, .list(of: .text(maximumBytes: 128)),
            "The types of events that are published, with `*` for any number of characters",
            example: "[\"session.*\", media.error]"),
        .optional(
            "channel_topic", \.channelTopic, .text(maximumBytes: 512),
            "Where messages of channels are published, instead of `PREFIX/GATEWAY/device/DEVICE/msg/rx/NAMESPACE`. `{device}`, `{namespace}`, "
                + "`{channel}` (the namespace without `urn:x-cast:`), `{app}` and `{type}` stand for those of each message, with `/`, `+`, `#` "
                + "and control characters percent-encoded; not in the first level, which is none of Castway's own",
            example: "apps/{device}/{channel}"),
        Key("home_assistant", \.homeAssistant, .object, "What Home Assistant is told"),
        Key(
            "principals", \.principals, .map(key: .text(allowed: "a-zA-Z0-9._-", length: 1...64), value: .object),
            "Who may call operations by the topics `rpc/NAME/OPERATION`, which the broker's access list has to keep for them",
            example: "{lights: {scopes: [read]}}"),
        Key(
            "keep_alive", \.keepAlive, .duration(.seconds(5) ... .seconds(3600)),
            "How often the broker hears from a gateway that has nothing to say; a broker that is lost is noticed within twice as long"
        ),
        Key("queue", \.queue, .object, "What may wait for the broker"),
        Key("dead_letters", \.deadLetters, .object, "What is kept of what the broker refused for good"),
    ]

    package init(blank: ConfigBlank) {}

    /// A bridge to a broker, for tests and programs.
    /// - Parameter change: sets what is not as in `gateway.yaml`.
    package init(url: String, _ change: (inout Self) -> Void = { _ in }) {
        self.url = url
        change(&self)
    }

    /// The address of the broker; nil for one that a check refuses.
    var address: MQTTAddress? { MQTTAddress(self.url) }

    /// The caller of what comes by the topics that name none.
    var caller: Caller {
        Caller(name: "mqtt", scopes: Set(self.scopes), devices: self.devices.map { $0.map(DevicePattern.init) })
    }

    /// The caller behind the topics of a principal; nil for an unknown one.
    func caller(principal name: String) -> Caller? {
        self.principals[name].map { principal in
            Caller(
                name: "mqtt:\(name)", scopes: Set(principal.scopes),
                devices: principal.devices.map { $0.map(DevicePattern.init) })
        }
    }

    /// The second language for failures of devices; nil to leave it out.
    /// - Parameter name: the principal that calls; nil for the topics that name none.
    func language(principal name: String?) -> ErrorLanguage? {
        name.flatMap { self.principals[$0]?.language } ?? self.language
    }
}

/// `bridges.mqtt.principals.NAME`: what callers may do whose topics name them.
package struct MQTTPrincipalConfiguration: ConfigSettings {
    package var scopes: [OperationScope] = [.read]
    /// The devices that they may see and use; nil for all.
    package var devices: [String]?
    /// A second language for failures of devices and sessions; nil for that of the bridge.
    package var language: ErrorLanguage?

    package static let keys: [Key] = [
        Key(
            "scopes", \.scopes, .list(of: .word), "What they may do: `read`, `control`, `messages`",
            example: "[read, control]"),
        .optional(
            "devices", \.devices, .list(of: .text(maximumBytes: 64)),
            "The devices that they may see and use, with `*` for any number of characters; all without it",
            example: "[hall]"),
        .optional(
            "language", \.language, .word, "As `bridges.mqtt.language`, for them; without it what that says",
            example: "fr"),
    ]

    package init() {}

    /// Adds rights that no caller over MQTT can have.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        MQTTConfiguration.checkRights(section, problems: &problems)
    }
}

/// `bridges.mqtt.home_assistant`: the announcements to Home Assistant.
package struct HomeAssistantConfiguration: ConfigSettings {
    /// Announces devices to Home Assistant.
    package var discovery = false
    /// The topic below which Home Assistant listens.
    package var prefix = "homeassistant"
    /// The apps that a device's list offers, by the name that it shows.
    package var apps: [String: String] = [:]

    package static let keys: [Key] = [
        Key("discovery", \.discovery, .boolean, "Whether devices are announced to Home Assistant (2024.11 or later)"),
        Key("prefix", \.prefix, .text(maximumBytes: 200), "The discovery prefix of Home Assistant"),
        Key(
            "apps", \.apps, .map(key: .text(maximumBytes: 64), value: .appID),
            "The apps that can be chosen on each device, by the name that is shown",
            example: "{Default player: CC1AD845}"),
    ]

    package init() {}
}

/// `bridges.mqtt.queue`: what may wait for the broker.
package struct MQTTQueueConfiguration: ConfigSettings {
    /// Bytes.
    package var size = 64 << 20
    package var age = Duration.seconds(7 * 86400)

    package static let keys: [Key] = [
        Key(
            "size", \.size, .size(64 << 10...64 << 30),
            "How much may wait for the broker; what comes beyond that is not taken, counted and said"),
        Key("age", \.age, .duration(.seconds(1) ... .seconds(31_536_000)), "How long a message may wait"),
    ]

    package init() {}
}

/// `bridges.mqtt.dead_letters`: what is kept of what the broker refused for good.
package struct MQTTDeadLettersConfiguration: ConfigSettings {
    /// Bytes.
    package var size = 64 << 20
    package var age = Duration.seconds(14 * 86400)

    package static let keys: [Key] = [
        Key("size", \.size, .size(0...64 << 30), "How much is kept"),
        Key("age", \.age, .duration(.zero ... .seconds(31_536_000)), "How long it is kept"),
    ]

    package init() {}
}
