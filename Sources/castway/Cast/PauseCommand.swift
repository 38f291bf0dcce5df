import ArgumentParser
import DeviceSessions

/// `castway cast HOST pause`
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pauses the media.",
        usage: "castway cast <host>[:<port>] pause [--at <seconds>]")

    @OptionGroup var target: CastTarget

    @Option(help: ArgumentHelp("Where to pause; default: where it is.", valueName: "seconds"))
    var at: Double?

    func run() async throws {
        try await self.target.command(.pause(at: self.at))
    }
}
