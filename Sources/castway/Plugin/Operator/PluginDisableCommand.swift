import ArgumentParser
import CastWire
import NIOHTTP1

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
        let path = PluginRequest.path(self.name, "/disable")
        let reply = try await PluginRequest(self.control).send(.POST, path)
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        let plugin = try reply.object()
        StandardOutput.write("\(self.name) is \(plugin.string("state") ?? "asked to")".printable + "\n")
    }
}
