import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp

/// `castway state check`
struct StateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks at every page of the state database, and at every identity in it; changes nothing.",
        discussion: """
            May be used beside a gateway that runs. Ends with 73 when something is wrong.

            Example:
              castway state check --config /etc/castway/gateway.yaml
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let state = try configuration.storedState(isThorough: true)
        let summary = StateSummary(state)
        let directory = configuration.gateway.stateDirectory
        var json = summary.json
        json["state_directory"] = .string(directory)
        StandardOutput.write(lines: [
            self.output.isJSON ? JSONValue.object(json).text : "\(directory.printable): whole, \(summary.text)"
        ])
    }
}
