import ArgumentParser
import CastWire
import GatewayApp
import GatewayOperations

struct PluginList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the plugins of the running gateway, and how they are.",
        examples: [
            "castway plugin list",
            #"castway plugin list --json | jq -r '.plugins[] | select(.state != "ready") | .name'"#,
        ])
    static let operation: OperationName = "plugins.list"

    func lines(_ answer: JSONObject) -> [String] {
        let (plugins, fields) = (answer[at: PluginListResult.fields.plugins] ?? [], PluginResult.fields)
        guard !plugins.isEmpty else { return ["no plugin is listed in plugins.instances"] }
        let table = TextTable(
            plugins,
            [
                AnswerColumn("NAME", fields.name), AnswerColumn("PLUGIN", fields.plugin),
                AnswerColumn("VERSION", fields.version), AnswerColumn("KIND", fields.pluginKind),
                AnswerColumn("STATE", fields.state), AnswerColumn("RESTARTS", fields.restarts),
                AnswerColumn("MEMORY") { $0[at: fields.residentBytes].map { "\($0 / 1_048_576) MiB" } ?? "-" },
                AnswerColumn("READY FOR") { $0[at: fields.readyFor].map { Duration.milliseconds($0).shown } ?? "-" },
            ])
        let (paint, styles) = (Terminal.output, ["ready": Paint.Style.good, "failed": .error, "stopped": .faint])
        let remarks = plugins.flatMap { plugin in
            let limits = plugin[at: fields.unenforced] ?? []
            let reason = plugin[at: fields.reason].map { [$0] } ?? []
            let words = reason + limits.map { "not enforced on this machine: \($0)" }
            return words.map { "  \(plugin.text(fields.name)): \($0)".printable }
        }
        return table.lines { column, cell in column == 4 ? paint(cell, styles[cell] ?? .warning) : cell } + remarks
    }
}

struct PluginInspect: OperationCall {
    static let configuration = CommandConfiguration(
        "inspect", "Shows all that is known of one plugin of the running gateway.")
    static let operation: OperationName = "plugin.get"

    @OptionGroup var plugin: PluginArgument

    var input: CallInput { ["plugin": self.plugin.name] }

    func lines(_ answer: JSONObject) -> [String] { PluginSheet(answer).lines }
}

struct PluginEnable: PluginChange {
    static let configuration = CommandConfiguration("enable", "Runs a plugin of the running gateway that was disabled.")
    static let operation: OperationName = "plugin.enable"

    @OptionGroup var plugin: PluginArgument
}

struct PluginDisable: PluginChange {
    static let configuration = CommandConfiguration(
        "disable", "Ends a plugin of the running gateway until it is enabled, or the gateway starts again.")
    static let operation: OperationName = "plugin.disable"

    @OptionGroup var plugin: PluginArgument
}

struct PluginRestart: PluginChange {
    static let configuration = CommandConfiguration(
        "restart",
        "Ends a plugin of the running gateway and starts it again; messages meanwhile follow its on_failure.")
    static let operation: OperationName = "plugin.restart"

    @OptionGroup var plugin: PluginArgument
}

struct PluginArgument: ParsableArguments {
    @Argument(help: "The plugin's name in plugins.instances.") var name: String
}

/// A command that enables, disables or restarts a plugin, and prints the state that it is in then.
protocol PluginChange: OperationCall { var plugin: PluginArgument { get } }

extension PluginChange {
    var input: CallInput { ["plugin": self.plugin.name] }

    func lines(_ answer: JSONObject) -> [String] {
        ["\(self.plugin.name) is \(answer.text(PluginResult.fields.state, else: "changed"))".printable]
    }
}
