import BuiltInReceiver
import CastIdentity
public import GatewayConfig
import VirtualDevices

extension VirtualDeviceConfiguration {
    /// The keys of one element of `virtual_devices`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "name",
            .text(allowed: "a-z0-9-", length: 1...32),
            .required,
            "The name of the device in this file, in topics and in the API",
            example: "lobby"
        ),
        ConfigField(
            "friendly_name",
            .text(maximumBytes: 200),
            .sameAs("name"),
            "What senders show",
            example: "Lobby screen",
            reload: .hot
        ),
        ConfigField(
            "model", .text(maximumBytes: 64), .defaultsTo("Chromecast"), "The model that senders see", reload: .hot),
        ConfigField(
            "listen",
            .listenAddress,
            .required,
            "Where senders connect; port 0 lets the system choose",
            example: "0.0.0.0:8009"
        ),
        ConfigField(
            "publish",
            .boolean,
            .defaultsTo("true"),
            "Whether the device is announced by mDNS; one that listens on the loopback interface only never is",
            reload: .hot
        ),
        ConfigField(
            "target",
            .oneOf(
                .word("local"),
                .object([
                    ConfigField(
                        "device",
                        .text(maximumBytes: 200),
                        .required,
                        "A real device: a name in `discovery.static`, or the friendly name or id of one that is found by mDNS",
                        example: "meeting-room"
                    )
                ])
            ),
            .required,
            "What stands behind the device: `local`, the built-in receiver, or a real device",
            example: "{device: meeting-room}",
            reload: .device
        ),
        ConfigField(
            "senders",
            .object([
                ConfigField(
                    "allow",
                    .list(of: .addressRange),
                    .defaultsTo("[]"),
                    "The addresses from which senders may connect; an empty list allows everyone",
                    example: "[10.20.0.0/16]"
                )
            ]),
            .defaultsTo("{}"),
            "Who may use the device",
            reload: .hot
        ),
        ConfigField(
            "apps",
            .oneOf(
                .list(of: .appID),
                .map(key: .appID, value: VirtualAppConfiguration.schema)
            ),
            .optional,
            "The apps that senders may use: a list of ids, or a mapping of ids to details. Without it all apps of the "
                + "target; a local device then has the default media receiver with the simulated player",
            example: "[CC1AD845, 233637DE]",
            reload: .hot
        ),
        ConfigField(
            "idle_timeout",
            .duration(),
            .defaultsTo("5m"),
            "How long after its last sender left an app is closed; `0s` means never",
            reload: .hot
        ),
        ConfigField(
            "backdrop", .boolean, .defaultsTo("false"), "Whether the idle screen is reported as a running app",
            reload: .hot),
        ConfigField(
            "volume", VolumeConfiguration.schema, .defaultsTo("{}"), "The volume that senders see", reload: .hot),
        ConfigField("setup", SetupConfiguration.schema, .defaultsTo("{}"), "Where the set-up service answers"),
        ConfigField(
            "capabilities",
            .integer(0...0xFFFF_FFFF),
            .defaultsTo("4101"),
            "The capability bits announced to senders",
            reload: .hot
        ),
        ConfigField(
            "tls_key",
            .word(TLSKeyKind.self),
            .defaultsTo("p256"),
            "The key of the TLS layer: `p256` is made at once and makes accepting a sender twice as cheap; `rsa` is for "
                + "senders that know no other",
            reload: .newConnections
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        let target = section.optionalSection("target").map { Target.device($0.string("device")) } ?? .local
        self.init(
            name: section.string("name"),
            friendlyName: section.string("friendly_name"),
            model: section.string("model"),
            listen: section.listenAddress("listen"),
            publish: section.boolean("publish"),
            target: target,
            allowedSenders: section.section("senders").addressRanges("allow"),
            apps: section.value("apps").map { VirtualAppConfiguration.apps(reading: $0, isLocal: target == .local) },
            idleTimeout: section.duration("idle_timeout"),
            backdrop: section.boolean("backdrop"),
            volume: VolumeConfiguration(reading: section.section("volume")),
            setup: SetupConfiguration(reading: section.section("setup")),
            capabilities: section.integer("capabilities"),
            tlsKey: section.word("tls_key", as: TLSKeyKind.self, otherwise: .p256)
        )
    }

    /// Adds what is wrong between the values of one device: namespaces of the transport, apps listed twice, and apps that
    /// can never run here.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        self.checkThatAppsMayRun(section, problems: &problems)
        for app in section.map("apps") {
            for namespace in app.value.section?.list("namespaces") ?? [] {
                problems.addIfReserved(namespace.string ?? "", at: namespace.location)
            }
        }
        var places: [String: ConfigLocation] = [:]
        for app in section.list("apps") {
            guard let id = app.string else { continue }
            if let first = places[id] {
                let message = "app '\(id)' is listed twice in '\(section.path("apps"))'"
                problems.add(.duplicateName, at: app.location, message, hint: "first at \(first)")
            }
            places[id] = places[id] ?? app.location
        }
    }
}
