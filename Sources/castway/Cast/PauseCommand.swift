import ArgumentParser
import CastClient

/// `castway cast HOST pause`
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pauses the media.",
        usage: "castway cast <host>[:<port>] pause [--at <time>]")

    @OptionGroup var target: CastTarget

    @Option(help: ArgumentHelp("Where to pause, such as 90 or 1:30; default: where it is.", valueName: "time"))
    var at: MediaTime?

    func run() async throws {
        try await self.target.command(.pause(at: self.at?.seconds))
    }
}
