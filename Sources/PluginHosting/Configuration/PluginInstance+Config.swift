internal import CastWire
internal import GatewayConfig
internal import GatewayCore
internal import PluginKit

extension PluginInstance {
    /// The characters of names, which become parts of file names and of URLs.
    static let nameRule = ConfigSchema.text(allowed: "a-zA-Z0-9._-", length: 1...64)
    static let pattern = ConfigSchema.oneOf(.namespacePattern, .word("*"))
    static let types = ConfigSchema.list(of: .text(maximumBytes: 64))

    /// The keys of an element of `plugins.instances`.
    static let schema = ConfigSchema.object(
        [
            ConfigField(
                "name", Self.nameRule, .required, "Its name: in logs, the API and commands", example: "loyalty"),
            ConfigField(
                "plugin", Self.nameRule, .required, "The plugin's id, which is the name of its folder",
                example: "com.example.loyalty"),
            ConfigField(
                "kind", .word(PluginKind.self), .optional,
                "How it is run: as a process, as a module in the gateway, or by somebody else who connects to "
                    + "`plugins/NAME.sock` in the state directory; without it what its manifest has"),
            ConfigField("enabled", .boolean, .defaultsTo("true"), "Whether it runs"),
            ConfigField("required", .boolean, .defaultsTo("false"), "Whether the gateway is not ready without it"),
            ConfigField(
                "grant", Self.grantSchema, .defaultsTo("{}"), "What it may do; nothing that is not written here"),
            ConfigField(
                "config", .json, .defaultsTo("{}"), "Its own configuration, checked against the schema of its manifest",
                example: "{points_per_minute: 2}"),
            ConfigField(
                "env",
                .map(
                    key: .text(allowed: "A-Z0-9_", length: 1...64),
                    value: .text(maximumBytes: 4096, isSecret: true)),
                .defaultsTo("{}"),
                "What is added to its environment, which is empty otherwise; the values are never shown"),
            ConfigField(
                "readable", .list(of: .path), .defaultsTo("[]"),
                "What else it may read in the sandbox `strict`: files or folders, by absolute paths"),
            ConfigField(
                "user", .text(allowed: "a-z0-9_-", length: 1...32), .optional,
                "The user whose process may connect, for the kind `socket`; without it the gateway's own"),
        ] + PluginSettings.fields(hasDefaults: false))

    private static let grantSchema = ConfigSchema.object([
        ConfigField(
            "as", .word("manifest"), .optional,
            "`manifest` grants all that the plugin's `plugin.yaml` asks for; a key that is written beside it holds instead of "
                + "what stands there. `castway check` prints what that comes to"),
        ConfigField(
            "namespaces",
            .list(
                of: .object([
                    ConfigField(
                        "match", Self.pattern, .required,
                        "A namespace, all below a prefix, or `*` for filters and observers",
                        example: "\"urn:x-cast:com.example.loyalty\""),
                    ConfigField(
                        "phase", .word(RoutingPhase.self), .required,
                        "Whether it judges messages, owns the namespace, or gets copies", example: "handle"),
                    ConfigField("types", Self.types, .optional, "Only messages of these types", example: "[LOAD]"),
                    ConfigField(
                        "directions", .list(of: .word(MessageDirection.self)), .optional,
                        "Only messages that travel these ways; without it those of senders"),
                    ConfigField(
                        "devices", .list(of: .text(maximumBytes: 64)), .optional,
                        "Only messages of these virtual devices"),
                    ConfigField(
                        "deadline", .duration(.milliseconds(1) ... .seconds(10)), .optional,
                        "How long it may take; without it the deadline of the phase"),
                    ConfigField(
                        "on_failure", .word(FailurePolicy.self), .optional, "What happens when it fails or is late"),
                ])), .defaultsTo("[]"), "The messages that it is asked about"),
        ConfigField(
            "send", .word(PluginGrant.SendScope.self), .defaultsTo("none"),
            "To whom it may send by itself: nobody, those in a session or on a device of which it was given a message, or all"
        ),
        ConfigField(
            "events", .list(of: .glob), .defaultsTo("[]"), "The events that it may emit", example: "[\"loyalty.*\"]"),
        ConfigField(
            "network", .word(PluginGrant.Network.self), .defaultsTo("none"),
            "What it may reach over the network; enforced in the sandboxes `basic` and `strict`"),
        ConfigField(
            "storage", .size(0...(1 << 30)), .defaultsTo("0B"), "How much it may keep in its store", example: "256KiB"),
    ])

    /// Reads the typed values from a checked section; nil when its folder cannot be used.
    init?(reading section: ConfigSection, defaults: PluginSettings, folders: PluginFolders) {
        guard let folder = folders[section.string("plugin")] else { return nil }
        let grant = section.section("grant")
        let asked = grant.asManifest ? folder.manifest : nil
        func isAsked(_ key: String) -> Bool { asked != nil && !grant.isWritten(key) }
        let needs = asked?.needs ?? PluginManifest.Needs()
        self.init(
            name: section.string("name"), plugin: section.string("plugin"), folder: folder.path,
            manifest: folder.manifest,
            kind: section.optionalString("kind").flatMap(PluginKind.init(rawValue:)) ?? folder.manifest.kind,
            isEnabled: section.boolean("enabled"), isRequired: section.boolean("required"),
            isGrantedAsManifest: asked != nil,
            namespaces: isAsked("namespaces")
                ? folder.manifest.grantableClaims.map { GrantedNamespace($0) }
                : grant.sections("namespaces").map(GrantedNamespace.init(reading:)),
            send: isAsked("send")
                ? needs.send : grant.word("send", as: PluginGrant.SendScope.self, otherwise: .none),
            events: isAsked("events") ? needs.events : grant.strings("events"),
            network: isAsked("network")
                ? needs.network : grant.word("network", as: PluginGrant.Network.self, otherwise: .none),
            storage: isAsked("storage") ? needs.storage : grant.size("storage"),
            config: Self.config(section, folder),
            environment: Dictionary(
                section.map("env").compactMap { entry in entry.value.secret.map { (entry.key, $0.reveal()) } },
                uniquingKeysWith: { first, _ in first }),
            settings: PluginSettings(reading: section, over: defaults),
            readable: section.strings("readable"), user: section.optionalString("user"))
    }

    private static func config(_ section: ConfigSection, _ folder: PluginFolder) -> JSONObject {
        guard let value = section.value("config") else { return [:] }
        var problems = ConfigProblems()
        let config = (folder.schema ?? ValueSchema()).complete(value, path: "config", problems: &problems)
        // One reader and one writer of JSON for all.
        return (try? JSONReader.read(config.text()))?.objectValue ?? [:]
    }
}

extension ConfigSection {
    /// Whether this section `grant` takes over what the manifest asks for.
    var asManifest: Bool { self.optionalString("as") == "manifest" }
}

extension PluginManifest {
    /// What `grant: {as: manifest}` grants: all claims but those on apps' media, which only an app's `player` gives away.
    var grantableClaims: [PluginClaim] {
        self.claims.filter { $0.phase != .handle || $0.match != Namespace.media.rawValue }
    }
}

extension GrantedNamespace {
    /// Reads the typed values from a checked section.
    init(reading section: ConfigSection) {
        self.init(
            PluginClaim(reading: section), deadline: section.optionalDuration("deadline"),
            onFailure: section.optionalString("on_failure").flatMap(FailurePolicy.init(rawValue:)))
    }
}

extension PluginClaim {
    /// Reads a claim of a manifest or a grant from a checked section.
    init(reading section: ConfigSection) {
        self.init(
            match: section.string("match"), phase: section.word("phase", as: RoutingPhase.self, otherwise: .observe),
            directions: section.optionalStrings("directions").map { $0.compactMap(MessageDirection.init(rawValue:)) },
            types: section.optionalStrings("types"), devices: section.optionalStrings("devices"))
    }
}
