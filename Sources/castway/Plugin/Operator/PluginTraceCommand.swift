import ArgumentParser
import CastWire

/// `castway plugin trace`
struct PluginTraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Shows what the running gateway and a plugin say to each other, as it happens.",
        discussion: """
            Payloads are left out unless --payloads is given, since they can hold what is private; in JSON the \
            lines are printed as the gateway gives them, payloads included. It ends with the plugin's process, or when it \
            is interrupted.

            Examples:
              castway plugin trace hello
              castway plugin trace hello --payloads
              castway plugin trace hello --json > hello.jsonl
            """)

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @Flag(help: "Shows whole lines, with what messages say.")
    var payloads = false

    @OptionGroup var output: OutputOption<TextOrJSON>

    @OptionGroup var control: ControlOption

    func run() async throws {
        var view = PluginTraceView(showsPayloads: self.payloads)
        let path = PluginRequest.path(self.name, "/trace")
        try await PluginRequest(self.control).lines(path) { line in
            StandardOutput.write(self.output.isJSON ? "\(line)\n" : view.line(line).printable + "\n")
        }
    }
}
