import ArgumentParser
import CastClient

/// `castway cast HOST stop`
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Unloads the media; the app stays.",
        usage: "castway cast <host>[:<port>] stop")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.stop())
    }
}
