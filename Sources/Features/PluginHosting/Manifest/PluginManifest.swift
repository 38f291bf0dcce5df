package import GatewayConfig
package import GatewayOperations
package import PluginKit

/// The contents of a plugin's `plugin.yaml`: what it is, how it is run, and what it asks for.
package struct PluginManifest: ConfigObject, Hashable {
    /// The version of the format of `plugin.yaml` that this Castway reads.
    package static let formatVersion = 1

    /// The needs of a plugin beside messages; `gateway.yaml` may grant them or less.
    package struct Needs: Sendable, Hashable {
        /// The scope of messages that it wants to send by itself.
        package var send = PluginGrant.SendScope.none
        package var events: [String] = []
        package var network = PluginGrant.Network.none
        /// The quota that it wants, in bytes.
        package var storage = 0
        /// The operations of the gateway that it wants done.
        package var operations: [String] = []
        package var scopes: [OperationScope] = [.read, .control]

        package init() {}
    }

    /// The plugin's id, in reverse domain notation; its folder has the same name.
    package var id: String
    /// Its name for people; the id unless another is set.
    package var name: String
    package var version: String
    /// The versions of the plugin protocol that it speaks.
    package var versions = 1...1
    /// The program and its arguments; nil when it is no process. A program with a slash is in the folder, one without is
    /// there or in the system's path.
    package var command: [String]?
    /// The library, in the folder; nil when it is no module.
    package var module: String?
    package var claims: [PluginClaim] = []
    /// The handlers of Castway's own that it can replace.
    package var replaces: [ReplaceableHandler] = []
    /// The operations that callers of the gateway can have it do.
    package var operations: [PluginOperation] = []
    /// The things that it is beside handlers and operations.
    package var provides: [PluginProvision] = []
    package var needs = Needs()
    package var isSingleInstance = false
    package var environment: [String: String] = [:]
    /// The URL of its documentation.
    package var documentation: String?

    /// Describes a plugin; what is not changed has the default of `plugin.yaml`.
    package init(id: String, version: String, _ change: (inout Self) -> Void = { _ in }) {
        self.id = id
        self.name = id
        self.version = version
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(id: "", version: "") }

    /// The kind in which it is run unless `gateway.yaml` says otherwise.
    package var kind: PluginKind {
        if self.command != nil { .process } else if self.module != nil { .module } else { .socket }
    }

    /// All messages that it may come to be asked about: those that it claims, and those of the handlers that it can replace.
    package var possibleClaims: [PluginClaim] { self.claims + self.replaces.flatMap { $0.claims() } }

    /// The handlers of Castway's own whose namespaces it asks to own, without asking to replace them.
    package var ownedBuiltIns: [ReplaceableHandler] {
        let owned = self.claims.filter { $0.phase == .handle }.compactMap { ReplaceableHandler(owning: $0.match) }
        return ReplaceableHandler.allCases.filter { owned.contains($0) && !self.replaces.contains($0) }
    }

    // MARK: Keys

    package static let keys: [Key] = [
        .unread(
            "manifest", .formatVersion(Self.formatVersion), .required, "The version of this file's format", example: "1"
        ),
        .required(
            "id", \.id, .pluginName, "The plugin's id, which is the name of its folder",
            example: "com.example.loyalty"),
        Key(
            "name", \.name, .text(maximumBytes: 128), sameAs: "id", "Its name for people", example: "Loyalty points"),
        .required("version", \.version, .text(maximumBytes: 64), "Its version", example: "1.4.0"),
        .section(
            "protocol", "The versions of the plugin protocol that it speaks",
            [
                Key("min", \.firstVersion, .integer(1...1000), "The first version that it speaks"),
                Key("max", \.lastVersion, .integer(1...1000), "The last version that it speaks"),
            ]),
        .optional(
            "exec", \.command, .list(of: .text(maximumBytes: 4096)),
            "The program and its arguments, without a shell: in this folder, or a program of the system by its bare name",
            example: "[bin/loyalty, --quiet]"),
        .optional(
            "module", \.module, .path, "The library, in this folder, for the kind `module`", example: "lib/loyalty.so"),
        Key("claims", \.claims, .list(of: .object), "The messages that it asks for"),
        Key(
            "replaces", \.replaces, .list(of: .word),
            "The handlers of Castway's own that it can replace: it gets their messages in both directions where `gateway.yaml` "
                + "grants it",
            example: "[media]"),
        Key(
            "operations", \.operations, .list(of: .object, uniqueKey: "name"),
            "The operations that callers of the gateway can have it do, where `gateway.yaml` grants that"),
        Key(
            "provides", \.provides, .list(of: .word),
            "What it gives where `gateway.yaml` says so: the items of queues (`queue`), Cast devices (`devices`), pictures (`picture`)",
            example: "[queue]"),
        .section(
            "needs", "What else it asks for",
            [
                Key("send", \.needs.send, .word, "To whom it sends by itself"),
                Key("events", \.needs.events, .list(of: .glob), "The events that it emits"),
                Key("network", \.needs.network, .word, "What it reaches"),
                Key("storage", \.needs.storage, .size(0...(1 << 30)), "How much it keeps in its store"),
                Key(
                    "operations", \.needs.operations, .list(of: .glob),
                    "The operations of the gateway that it has done, by name or with `*`", example: "[\"media.*\"]"),
                Key("scopes", \.needs.scopes, .list(of: .word), "What it has to be allowed for them"),
            ]),
        .unread(
            "config_schema", .path, .optional, "A file in this folder: the JSON Schema of its configuration",
            example: "config.schema.json"),
        Key(
            "single_instance", \.isSingleInstance, .boolean,
            "Whether two of it cannot run at once, so that an upgrade stops the old one first"),
        Key(
            "env", \.environment, .map(key: .environmentName, value: .text(maximumBytes: 4096)),
            "What it wants in its environment"),
        .optional("documentation", \.documentation, .text(maximumBytes: 1024), "Where people read about it"),
    ]

    /// The first version of the protocol; `protocol.min`. Never above the last.
    private var firstVersion: Int {
        get { self.versions.lowerBound }
        set { self.versions = newValue...max(newValue, self.versions.upperBound) }
    }

    /// The last version of the protocol; `protocol.max`.
    private var lastVersion: Int {
        get { self.versions.upperBound }
        set { self.versions = self.versions.lowerBound...max(newValue, self.versions.lowerBound) }
    }

    // MARK: Reference

    /// The reference of all keys of `plugin.yaml` in Markdown, as `Docs/plugin-yaml.md` has it.
    package static func referenceMarkdown() -> String {
        Self.schema.referenceMarkdown(title: "plugin.yaml reference", introduction: Self.introduction)
    }

    private static let introduction = """
        `plugin.yaml` is a plugin's manifest: what it is, how it is started, and what it asks for. It lies in the plugin's folder, which
        has the plugin's `id` for its name. `gateway.yaml` grants what stands here, or less; see [plugins.md](plugins.md). The page is printed
        by `castway plugin reference`.

        Keys that are not listed are refused, except those that start with `x-`, which are ignored everywhere. Sizes have `B`, `KiB`, `MiB`
        or `GiB`. Truth values are `true` and `false`. Paths are relative to the plugin's folder and stay within it; environment variables
        are not put in. `castway plugin check DIR` says what is wrong.

        How a plugin is run follows from what is there: with `exec` as a process, with `module` alone as a library in the gateway, with neither
        by connecting to a socket; `kind` in `gateway.yaml` may choose among them.
        """
}
