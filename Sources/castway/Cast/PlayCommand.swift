import ArgumentParser
import DeviceSessions

/// `castway cast HOST play`
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Goes on playing.",
        usage: "castway cast <host>[:<port>] play [--at <seconds>]")

    @OptionGroup var target: CastTarget

    @Option(help: ArgumentHelp("Where to go on; default: where it is.", valueName: "seconds"))
    var at: Double?

    func run() async throws {
        try await self.target.command(.play(at: self.at))
    }
}
