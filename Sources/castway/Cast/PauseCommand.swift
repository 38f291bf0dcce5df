import ArgumentParser
import CastWire

/// `castway cast HOST pause`
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pauses the media.",
        usage: "castway cast <host>[:<port>] pause")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.pause)
    }
}
