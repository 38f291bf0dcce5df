public import CastWire
public import GatewayConfig

/// A plugin's configuration as the gateway gives it: checked against the schema of the manifest, defaults filled in.
public struct PluginConfigCompletion: Sendable {
    /// The configuration with defaults.
    public let config: JSONObject
    /// What is wrong with it, for people; empty when nothing is.
    public let problems: [String]

    /// Checks and completes a configuration.
    public init(_ config: JSONObject, schema: ValueSchema?) {
        let name = "configuration"
        let field = ConfigField("config", .json, .required, "The plugin's configuration")
        // JSON is YAML too.
        let text = JSONValue.object(["config": .object(config)]).text
        let document = ConfigDocument.load(
            path: name, schema: .object([field]), fileSystem: .memory([name: text]), environment: [:])
        var problems = document.problems
        var completed = config
        if let value = document.root.value("config") {
            let json = (schema ?? ValueSchema()).complete(value, path: "config", problems: &problems)
            completed = (try? JSONReader.read(json.text()))?.objectValue ?? config
        }
        self.config = completed
        self.problems = problems.all.map { problem in problem.message + (problem.hint.map { ": \($0)" } ?? "") }
    }
}
