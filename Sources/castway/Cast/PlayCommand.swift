import ArgumentParser
import CastWire

/// `castway cast HOST play`
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Goes on playing.",
        usage: "castway cast <host>[:<port>] play")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.play)
    }
}
