import ArgumentParser
import CastWire
import NIOHTTP1

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
        let path = PluginRequest.path(self.name, "/restart")
        let reply = try await PluginRequest(self.control).send(.POST, path)
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        let plugin = try reply.object()
        StandardOutput.write("\(self.name) is \(plugin.string("state") ?? "asked to")".printable + "\n")
    }
}
