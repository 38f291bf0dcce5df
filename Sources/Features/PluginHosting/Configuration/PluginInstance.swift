package import CastWire
package import GatewayConfig
package import GatewayCore
package import GatewayOperations
package import PluginKit

/// One plugin that `gateway.yaml` lists, with the manifest of its folder.
package struct PluginInstance: ConfigObject, Hashable {
    /// Its name: in logs, in the API, and as a handler.
    package var name: String
    /// The plugin's id, which is its folder's name.
    package var plugin: String
    package var folder: String
    package var manifest: PluginManifest
    package var kind: PluginKind
    package var isEnabled = true
    /// True if the gateway is not ready without it.
    package var isRequired = false
    /// True if `gateway.yaml` grants what the manifest asks for, by name of the manifest rather than written out.
    package var isGrantedAsManifest = false
    package var namespaces: [GrantedNamespace] = []
    package var replaces: [GrantedReplacement] = []
    /// The scope of messages that it may send by itself.
    package var send = PluginGrant.SendScope.none
    package var events: [String] = []
    package var network = PluginGrant.Network.none
    /// The quota of its store, in bytes.
    package var storage = 0
    /// The operations of the gateway that it may have done, by name or with `*`.
    package var operations: [String] = []
    package var scopes: [OperationScope] = [.read, .control]
    /// The devices that they may be about: names, with `*`; nil for all.
    package var operationDevices: [String]?
    /// Its own operations that callers may have done, by name or with `*`.
    package var offers: [String] = []
    /// The kinds of things that it may provide, such as Cast devices that it has found.
    package var provides: [PluginProvision] = []
    /// Its own configuration, with the defaults of its schema.
    package var config: JSONObject = [:]
    /// Additions to its environment.
    package var environment: [String: String] = [:]
    /// Its limits, deadlines and restarts.
    package var settings = PluginSettings()
    /// Files and folders beside its own that it may read in the sandbox `strict`.
    package var readable: [String] = []
    /// The user whose process may connect as the plugin, for one that is connected to; nil for the gateway's own.
    package var user: String?

    /// Describes an instance; what is not changed has the default of `gateway.yaml`.
    package init(
        name: String, plugin: String, folder: String, manifest: PluginManifest,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        self.name = name
        self.plugin = plugin
        self.folder = folder
        self.manifest = manifest
        self.kind = manifest.kind
        change(&self)
    }

    package init(blank: ConfigBlank) {
        self.init(name: "", plugin: "", folder: "", manifest: PluginManifest(blank: blank))
    }

    // MARK: Keys

    package static let keys: [Key] =
        [
            .required(
                "name", \.name, .pluginName, "Its name: in logs, the API and commands", example: "loyalty"),
            Key.required(
                "plugin", \.plugin, .pluginName, "The plugin's id, which is the name of its folder",
                example: "com.example.loyalty"
            ).noting { old, new in
                guard old.plugin == new.plugin, old.manifest != new.manifest else { return nil }
                return old.manifest.version == new.manifest.version
                    ? "another manifest" : "version \(old.manifest.version) becomes \(new.manifest.version)"
            },
            .custom(
                "kind", .word(PluginKind.self), .optional,
                "How it is run: as a process, as a module in the gateway, or by another program, which connects to "
                    + "`plugins/NAME.sock` in the state directory; without it what its manifest has",
                isSame: { $0.kind == $1.kind },
                read: { value, instance in
                    if let kind = value.string.flatMap(PluginKind.init(rawValue:)) { instance.kind = kind }
                }),
            Key("enabled", \.isEnabled, .boolean, "Whether it runs"),
            Key("required", \.isRequired, .boolean, "Whether the gateway is not ready without it"),
            .section("grant", "What it may do; nothing that is not written here", Self.grantKeys),
            .custom(
                "config", .json, .defaultsTo("{}"), "Its own configuration, checked against the schema of its manifest",
                example: "{points_per_minute: 2}", isSame: { $0.config.isEquivalent(to: $1.config) },
                // Completed with the schema's defaults in init(reading:defaults:folders:).
                read: { _, _ in }),
            Key(
                "env", \.environment, Self.environmentType,
                "What is added to its environment, which is empty otherwise; the values are never shown"),
            Key(
                "readable", \.readable, .list(of: .path),
                "What else it may read in the sandbox `strict`: files or folders, by absolute paths"),
            .optional(
                "user", \.user, .text(allowed: "a-z0-9_-", length: 1...32),
                "The user whose process may connect, for the kind `socket`; without it the gateway's own"),
        ] + PluginSettings.keys.embedded(in: \Self.settings, asOverrides: true)

    private static let grantKeys: [Key] = [
        .custom(
            "as", .word("manifest"), .optional,
            "`manifest` grants all that the plugin's `plugin.yaml` asks for; a key that is written beside it holds instead of "
                + "what stands there. `castway check` prints what that comes to",
            isSame: { $0.isGrantedAsManifest == $1.isGrantedAsManifest },
            read: { $1.isGrantedAsManifest = $0.string == "manifest" }),
        Key("namespaces", \.namespaces, .list(of: .object), "The messages that it is asked about"),
        Key(
            "replaces", \.replaces, .list(of: .replacement),
            "The handlers of Castway's own that it replaces, by name or with what is below: it gets their messages in both "
                + "directions, and they answer what it leaves to them. `as: manifest` does not grant this",
            example: "[media]"),
        Key(
            "send", \.send, .word,
            "To whom it may send by itself: none, those in a session or on a device of which it was given a message, or all"
        ),
        Key("events", \.events, .list(of: .glob), "The events that it may emit", example: "[\"loyalty.*\"]"),
        Key(
            "network", \.network, .word,
            "What it may reach over the network; enforced in the sandboxes `basic` and `strict`"),
        Key(
            "storage", \.storage, .size(0...(1 << 30)), "How much it may keep in its store", example: "256KiB"),
        Key(
            "offers", \.offers, .list(of: .glob),
            "Its own operations that callers may have done as `NAME.operation`: names in its manifest, with `*` and `?`",
            example: "[ask]"),
        Key(
            "operations", \.operations, .list(of: .glob),
            "The operations of the gateway that it may have done, as the caller `plugin:NAME`", example: "[\"media.*\"]"
        ),
        Key(
            "provides", \.provides, .list(of: .word),
            "`devices`: it may name Cast devices that it has found, which callers and virtual devices use by that name. For queues the app "
                + "names it, for pictures `pictures.source`", example: "[devices]"),
        Key(
            "scopes", \.scopes, .list(of: .word),
            "What it is allowed in them, as the scopes of a token; `as: manifest` grants neither `admin` nor `credentials`"
        ),
        .optional(
            "devices", \.operationDevices, .list(of: .text(maximumBytes: 64)),
            "The devices that they may be about: names, with `*`; without it all", example: "[hall]"),
    ]

    private static let environmentType = ConfigType<[String: Secret]>
        .map(key: .environmentName, value: .hiddenText(maximumBytes: 4096))
        .converted({ $0.mapValues { $0.reveal() } }, { $0.mapValues { Secret($0) } })

    /// Reads the typed values from a checked section; nil when its folder cannot be used.
    /// - Parameter defaults: what holds where the section says nothing.
    init?(reading section: ConfigSection, defaults: PluginSettings, folders: PluginFolders) {
        guard let folder = folders[section.string("plugin")] else { return nil }
        self.init(name: "", plugin: "", folder: folder.path, manifest: folder.manifest) { $0.settings = defaults }
        self.read(section)
        self.config = Self.config(section, folder)
        let grant = section.section("grant")
        let needs = folder.manifest.needs
        if !grant.isWritten("scopes") {
            // What changes the gateway, or holds secrets, is granted in so many words.
            self.scopes = needs.scopes.filter {
                self.isGrantedAsManifest ? !Self.writtenOut.contains($0) : self.scopes.contains($0)
            }
        }
        guard self.isGrantedAsManifest else { return }
        // A key that is written holds instead of what the manifest asks for.
        if !grant.isWritten("namespaces") {
            self.namespaces = folder.manifest.grantableClaims.map { GrantedNamespace($0) }
        }
        if !grant.isWritten("send") { self.send = needs.send }
        if !grant.isWritten("events") { self.events = needs.events }
        if !grant.isWritten("network") { self.network = needs.network }
        if !grant.isWritten("storage") { self.storage = needs.storage }
        if !grant.isWritten("operations") { self.operations = needs.operations }
        if !grant.isWritten("provides") { self.provides = folder.manifest.provides }
        if !grant.isWritten("offers") { self.offers = folder.manifest.operations.map(\.name) }
    }

    /// The scopes that `as: manifest` does not grant.
    private static let writtenOut: Set<OperationScope> = [.admin, .credentials]

    private static func config(_ section: ConfigSection, _ folder: PluginFolder) -> JSONObject {
        guard let value = section.value("config") else { return [:] }
        var problems = ConfigProblems()
        return (folder.schema ?? ValueSchema()).complete(value, path: "config", problems: &problems).objectValue ?? [:]
    }

    // MARK: The grant

    /// The grant as the plugin is told it.
    package var grant: PluginGrant {
        var grant = PluginGrant(
            namespaces: self.allNamespaces.map(\.claim), send: self.send, events: self.events, network: self.network,
            storage: self.storage, operations: self.operations, offers: self.offeredOperations.map(\.name))
        grant.provides = self.provides.map(\.rawValue)
        return grant
    }

    /// Its operations that callers may have done.
    package var offeredOperations: [PluginOperation] {
        let globs = self.offers.map { Glob($0) }
        return self.manifest.operations.filter { operation in globs.contains { $0.matches(operation.name) } }
    }

    /// A line for people about the instance's grant, such as `handle urn:x-cast:com.example.quiz; send same_session;
    /// events quiz.*; storage 65536 bytes`.
    package var grantSummary: String {
        var parts = self.namespaces.map(\.claim).map { claim in
            var text = "\(claim.phase.rawValue) \(claim.match)"
            if let types = claim.types { text += " (\(types.joined(separator: ", ")))" }
            if let directions = claim.directions {
                text += " \(directions.map(\.rawValue).joined(separator: " and "))"
            }
            if claim.isOwn { text += " of own sessions" }
            if let apps = claim.apps { text += " of \(apps.joined(separator: ", "))" }
            if let devices = claim.devices { text += " on \(devices.joined(separator: ", "))" }
            return text
        }
        parts += self.replaces.map { "replaces \($0.summary)" }
        if self.send != .none { parts.append("send \(self.send.rawValue)") }
        if !self.events.isEmpty { parts.append("events \(self.events.joined(separator: ", "))") }
        if self.network != .none { parts.append("network \(self.network.rawValue)") }
        if self.storage > 0 { parts.append("storage \(self.storage) bytes") }
        if !self.provides.isEmpty { parts.append("provides \(self.provides.map(\.rawValue).joined(separator: ", "))") }
        if !self.offeredOperations.isEmpty {
            parts.append("offers \(self.offeredOperations.map(\.name).joined(separator: ", "))")
        }
        if !self.operations.isEmpty {
            let scopes = self.scopes.map(\.rawValue).joined(separator: ", ")
            parts.append("has done \(self.operations.joined(separator: ", ")) with \(scopes)")
            if let devices = self.operationDevices {
                parts[parts.count - 1] += " on \(devices.joined(separator: ", "))"
            }
        }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }
}

package enum PluginKind: String, Sendable, Hashable, CaseIterable {
    case process
    /// A library in the gateway's own process.
    case module
    /// A process that others start, and that connects to a socket of the gateway's.
    case socket
}

/// Messages that a plugin is asked about, and how long it may take for one.
package struct GrantedNamespace: ConfigObject, Hashable {
    /// The messages, and the phase.
    package var claim: PluginClaim
    /// The time it may take; nil for the plugin's own deadline of the phase.
    package var deadline: Duration?
    /// The policy for failures; nil for the plugin's own.
    package var onFailure: FailurePolicy?
    /// The handler of Castway's own in front of which it is asked; nil for what `grant.namespaces` grants.
    package var replaces: String?

    package static let keys: [Key] = [
        .required(
            "match", \.claim.match, .claimPattern, "A namespace, all below a prefix, or `*` for filters and observers",
            example: "\"urn:x-cast:com.example.loyalty\""),
        .required(
            "phase", \.claim.phase, .word, "Whether it judges messages, owns the namespace, or gets copies",
            example: "handle"),
        .optional(
            "types", \.claim.types, .list(of: .messageType).notEmpty(), "Only messages of these types",
            example: "[LOAD]"),
        .optional(
            "directions", \.claim.directions, .list(of: .word).notEmpty(),
            "Only messages that travel these ways; without it those of senders"),
        .optional(
            "leg", \.claim.leg, .word,
            "Whose connections to apps: `sender`, which is meant without it, or `own` for sessions of Castway's own with real devices"
        ),
        .optional(
            "devices", \.claim.devices, .list(of: .text(maximumBytes: 64)).notEmpty().namingGroups(.names),
            "Only messages of these virtual devices: names, groups, and patterns with `*` and `?`; on the leg `own` real devices by their "
                + "names"),
        .optional("deadline", \.deadline, .deadline, "How long it may take; without it the deadline of the phase"),
        .optional("on_failure", \.onFailure, .word, "What happens when it fails or is late"),
    ]

    package init(_ claim: PluginClaim, deadline: Duration? = nil, onFailure: FailurePolicy? = nil) {
        self.claim = claim
        self.deadline = deadline
        self.onFailure = onFailure
    }

    package init(blank: ConfigBlank) { self.init(PluginClaim(blank: blank)) }
}

/// A claim as a manifest makes it.
extension PluginClaim: ConfigObject {
    /// The keys of `claims[]` of a manifest.
    package static let keys: [Key] = [
        .required("match", \.match, .claimPattern, "A namespace, all below a prefix, or `*`"),
        .required("phase", \.phase, .word, "`filter`, `handle` or `observe`"),
        .optional("types", \.types, .list(of: .messageType).notEmpty(), "Only messages of these types"),
        .optional(
            "directions", \.directions, .list(of: .word).notEmpty(),
            "Only messages that travel these ways; without it those of senders"),
        .optional(
            "leg", \.leg, .word,
            "Whose connections to apps: `sender`, which is meant without it, or `own` for sessions of Castway's own with real devices"
        ),
    ]

    package init(blank: ConfigBlank) { self.init(match: "", phase: .observe) }
}

extension ConfigType where Value == String {
    /// A name that becomes a part of file names and of URLs.
    static var pluginName: ConfigType { .text(allowed: "a-zA-Z0-9._-", length: 1...64) }
    /// A namespace, all below a prefix, or `*`.
    static var claimPattern: ConfigType { .string(.oneOf(.namespacePattern, .word("*"))) }
    static var messageType: ConfigType { .text(maximumBytes: 64) }
    /// The name of a variable of the environment.
    static var environmentName: ConfigType { .text(allowed: "A-Z0-9_", length: 1...64) }
}
