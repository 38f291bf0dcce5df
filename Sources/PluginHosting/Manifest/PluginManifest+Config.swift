public import GatewayConfig
internal import PluginKit

extension PluginManifest {
    /// The version of the format of `plugin.yaml` that this Castway reads.
    public static let formatVersion = 1

    /// The keys of `plugin.yaml`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "manifest", .formatVersion(Self.formatVersion), .required, "The version of this file's format", example: "1"
        ),
        ConfigField(
            "id", PluginInstance.nameRule, .required, "The plugin's id, which is the name of its folder",
            example: "com.example.loyalty"),
        ConfigField("name", .text(maximumBytes: 128), .sameAs("id"), "Its name for people", example: "Loyalty points"),
        ConfigField("version", .text(maximumBytes: 64), .required, "Its version", example: "1.4.0"),
        ConfigField(
            "protocol",
            .object([
                ConfigField("min", .integer(1...1000), .defaultsTo("1"), "The first version that it speaks"),
                ConfigField("max", .integer(1...1000), .defaultsTo("1"), "The last version that it speaks"),
            ]), .defaultsTo("{}"), "The versions of the plugin protocol that it speaks"),
        ConfigField(
            "exec", .list(of: .text(maximumBytes: 4096)), .optional,
            "The program and its arguments, without a shell: in this folder, or a program of the system by its bare name",
            example: "[bin/loyalty, --quiet]"),
        ConfigField(
            "module", .path, .optional, "The library, in this folder, for the kind `module`", example: "lib/loyalty.so"),
        ConfigField(
            "claims",
            .list(
                of: .object([
                    ConfigField("match", PluginInstance.pattern, .required, "A namespace, all below a prefix, or `*`"),
                    ConfigField("phase", .word(RoutingPhase.self), .required, "`filter`, `handle` or `observe`"),
                    ConfigField("types", PluginInstance.types, .optional, "Only messages of these types"),
                    ConfigField(
                        "directions", .list(of: .word(MessageDirection.self)), .optional,
                        "Only messages that travel these ways; without it those of senders"),
                ])), .defaultsTo("[]"), "The messages that it asks for"),
        ConfigField(
            "needs",
            .object([
                ConfigField(
                    "send", .word(PluginGrant.SendScope.self), .defaultsTo("none"), "To whom it sends by itself"),
                ConfigField("events", .list(of: .glob), .defaultsTo("[]"), "The events that it emits"),
                ConfigField("network", .word(PluginGrant.Network.self), .defaultsTo("none"), "What it reaches"),
                ConfigField("storage", .size(0...(1 << 30)), .defaultsTo("0B"), "How much it keeps in its store"),
            ]), .defaultsTo("{}"), "What else it asks for"),
        ConfigField(
            "config_schema", .path, .optional, "A file in this folder: the JSON Schema of its configuration",
            example: "config.schema.json"),
        ConfigField(
            "single_instance", .boolean, .defaultsTo("false"),
            "Whether two of it cannot run at once, so that an upgrade stops the old one first"),
        ConfigField(
            "env", .map(key: .text(allowed: "A-Z0-9_", length: 1...64), value: .text(maximumBytes: 4096)),
            .defaultsTo("{}"), "What it wants in its environment"),
        ConfigField("documentation", .text(maximumBytes: 1024), .optional, "Where people read about it"),
    ])

    /// Reads the typed values from a checked file.
    init(reading root: ConfigSection) {
        let versions = root.section("protocol")
        let needs = root.section("needs")
        let (first, last) = (versions.integer("min"), versions.integer("max"))
        self.init(
            id: root.string("id"), name: root.string("name"), version: root.string("version"),
            versions: first...max(first, last), command: root.optionalStrings("exec"),
            module: root.optionalString("module"), claims: root.sections("claims").map(PluginClaim.init(reading:)),
            needs: Needs(
                send: needs.word("send", as: PluginGrant.SendScope.self, otherwise: .none),
                events: needs.strings("events"),
                network: needs.word("network", as: PluginGrant.Network.self, otherwise: .none),
                storage: needs.size("storage")),
            isSingleInstance: root.boolean("single_instance"),
            environment: Dictionary(
                root.map("env").compactMap { entry in entry.value.string.map { (entry.key, $0) } },
                uniquingKeysWith: { first, _ in first }), documentation: root.optionalString("documentation"))
    }
}
