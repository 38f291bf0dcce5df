import ArgumentParser
import CastClient

/// `castway cast HOST play`
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Goes on playing.",
        usage: "castway cast <host>[:<port>] play [--at <time>]")

    @OptionGroup var target: CastTarget

    @Option(help: ArgumentHelp("Where to go on, such as 90 or 1:30; default: where it is.", valueName: "time"))
    var at: MediaTime?

    func run() async throws {
        try await self.target.command(.play(at: self.at?.seconds))
    }
}
