package import CastWire
package import GatewayConfig
import PluginHosting
import PluginKit

/// The manifest of the plugin that is tested.
struct PluginFacts: Sendable {
    var id: String
    var version: String
    /// The versions of the protocol that it speaks.
    var protocols: ClosedRange<Int>
    /// The messages that it wants to be asked about, as a grant's `namespaces`.
    var claims: [JSONObject]
    /// The grant of all that it asks for.
    var grant: PluginGrant
    var operations: [PluginOperation] = []

    init(
        id: String, version: String, protocols: ClosedRange<Int>, claims: [JSONObject], grant: PluginGrant
    ) {
        self.id = id
        self.version = version
        self.protocols = protocols
        self.claims = claims
        self.grant = grant
    }

    /// Reads a manifest, with all that it asks for granted.
    init(_ manifest: PluginManifest) {
        let needs = manifest.needs
        let grant = PluginGrant(
            namespaces: manifest.possibleClaims, send: needs.send, events: needs.events, network: needs.network,
            storage: needs.storage, operations: needs.operations, offers: manifest.operations.map(\.name))
        var whole = grant
        whole.provides = manifest.provides.map(\.rawValue)
        self.init(
            id: manifest.id, version: manifest.version, protocols: manifest.versions,
            claims: manifest.possibleClaims.map(\.json), grant: whole)
        self.operations = manifest.operations
    }

    /// As `initialize` tells a plugin what it is.
    var identity: JSONObject { ["id": .string(self.id), "version": .string(self.version)] }
}

/// A plugin's configuration as the gateway gives it: checked against the schema of the manifest, defaults filled in.
package struct PluginConfigCompletion: Sendable {
    /// The configuration with defaults.
    package let config: JSONObject
    /// The problems, for people; empty when there are none.
    package let problems: [String]

    package init(_ config: JSONObject, schema: ValueSchema?) {
        let name = "configuration"
        let field = ConfigField("config", .json, .required, "The plugin's configuration")
        // JSON is YAML too.
        let text = JSONValue.object(["config": .object(config)]).text
        let document = ConfigDocument.load(
            path: name, schema: .object([field]), fileSystem: .memory([name: text]), environment: [:])
        var problems = document.problems
        var completed = config
        if let value = document.root.value("config") {
            completed =
                (schema ?? ValueSchema()).complete(value, path: "config", problems: &problems).objectValue ?? config
        }
        self.config = completed
        self.problems = problems.all.map { problem in problem.message + (problem.hint.map { ": \($0)" } ?? "") }
    }
}
