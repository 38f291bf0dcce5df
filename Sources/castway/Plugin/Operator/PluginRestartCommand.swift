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

    func run() async throws {
        let path = PluginRequest.path(self.name, "/restart")
        let plugin = try await PluginRequest(self.control).send(.POST, path).object()
        StandardOutput.write("\(self.name) is \(plugin.string("state") ?? "asked to")".printable + "\n")
    }
}
