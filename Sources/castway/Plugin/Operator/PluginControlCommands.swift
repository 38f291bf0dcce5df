import ArgumentParser
import CastWire
import GatewayOperations

/// `castway plugin list`
struct PluginListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the plugins of the running gateway, and how they are.",
        discussion: """
            Examples:
              castway plugin list
              castway plugin list --json | jq -r '.plugins[] | select(.state != "ready") | .name'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("plugins.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let plugins = answer.array("plugins")?.compactMap(\.objectValue) ?? []
        guard !plugins.isEmpty else { return StandardOutput.write("no plugin is listed in plugins.instances\n") }
        let heading = ["NAME", "PLUGIN", "VERSION", "KIND", "STATE", "RESTARTS", "MEMORY", "READY FOR"]
        let rows = plugins.map { plugin in
            [
                plugin.string("name") ?? "", plugin.string("plugin") ?? "", plugin.string("version") ?? "",
                plugin.string("kind") ?? "", plugin.string("state") ?? "", plugin.int("restarts").map { "\($0)" } ?? "",
                plugin.int("rss_bytes").map { "\($0 / 1_048_576) MiB" } ?? "-",
                plugin.int("ready_ms").map { Duration.milliseconds($0).shown } ?? "-",
            ].map(\.printable)
        }
        let paint = Terminal.output
        let styles: [String: Paint.Style] = ["ready": .good, "failed": .error, "stopped": .faint]
        let lines = TextTable(rows: [heading] + rows).lines { column, cell in
            guard column == 4 else { return cell }
            return paint(cell, styles[cell] ?? .warning)
        }
        StandardOutput.write(lines: lines)
        for plugin in plugins {
            let name = plugin.string("name") ?? ""
            if let reason = plugin.string("reason") { StandardOutput.write("  \(name): \(reason)".printable + "\n") }
            for limit in plugin.array("unenforced")?.compactMap(\.stringValue) ?? [] {
                StandardOutput.write("  \(name): not enforced on this machine: \(limit)".printable + "\n")
            }
        }
    }
}

/// `castway plugin inspect`
struct PluginInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows all that is known of one plugin of the running gateway.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("plugin.get", ["plugin": .string(self.name)])
        if self.output.isJSON { return StandardOutput.write(answer) }
        StandardOutput.write(lines: PluginSheet(answer).lines)
    }
}

/// `castway plugin enable`
struct PluginEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Runs a plugin of the running gateway that was disabled.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await OperationRequest(self.control).change("plugin.enable", plugin: self.name, asJSON: self.output.isJSON)
    }
}

/// `castway plugin disable`
struct PluginDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Ends a plugin of the running gateway until it is enabled, or the gateway starts again.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await OperationRequest(self.control).change("plugin.disable", plugin: self.name, asJSON: self.output.isJSON)
    }
}

/// `castway plugin restart`
struct PluginRestartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Ends a plugin of the running gateway and starts it again; messages meanwhile follow its on_failure.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await OperationRequest(self.control).change("plugin.restart", plugin: self.name, asJSON: self.output.isJSON)
    }
}

extension OperationRequest {
    /// Enables, disables or restarts a plugin, and prints the state that it is in then.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    fileprivate func change(_ operation: OperationName, plugin: String, asJSON: Bool) async throws {
        let answer = try await self.call(operation, ["plugin": .string(plugin)])
        if asJSON { return StandardOutput.write(answer) }
        StandardOutput.write("\(plugin) is \(answer.string("state") ?? "changed")".printable + "\n")
    }
}
