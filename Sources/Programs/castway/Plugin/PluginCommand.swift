import ArgumentParser
import PluginHosting

struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "plugin", "Makes, checks and tests plugins, and looks after those that run.",
        """
        For authors:
          castway plugin new --lang python hello      a plugin that works, to begin with
          castway plugin check Plugins/hello          is it right?
          castway plugin test Plugins/hello           does it do what its transcripts say?
          castway plugin run Plugins/hello            a small gateway with just this plugin
          castway plugin kit                          where the kit for Python is
          castway plugin reference                    every key of plugin.yaml

        For operators, of the gateway that runs:
          castway plugin list
          castway plugin inspect NAME
          castway plugin restart NAME
        """,
        subcommands: [
            PluginNewCommand.self, PluginCheckCommand.self, PluginTestCommand.self, PluginRunCommand.self,
            PluginKitCommand.self, PluginReferenceCommand.self, PluginList.asCommand, PluginInspect.asCommand,
            PluginTraceCommand.self, PluginRestart.asCommand, PluginEnable.asCommand, PluginDisable.asCommand,
            PluginHostCommand.self,
        ])
}

struct PluginReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "reference", "Prints what every key of plugin.yaml means, in Markdown.")

    func run() {
        let reference = PluginManifest.referenceMarkdown()
        StandardOutput.write(reference.hasSuffix("\n") ? reference : reference + "\n")
    }
}
