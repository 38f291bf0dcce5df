import ArgumentParser
import CastWire
import NIOHTTP1

/// `castway plugin inspect`
struct PluginInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows all that is known of one plugin of the running gateway.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let reply = try await PluginRequest(self.control).send(.GET, PluginRequest.path(self.name))
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        StandardOutput.write(lines: PluginSheet(try reply.object()).lines)
    }
}
