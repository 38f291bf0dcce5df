import ArgumentParser
import CastClient

/// `castway cast HOST next`
struct NextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Goes to the next item of the queue.",
        usage: "castway cast <host>[:<port>] next")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.next())
    }
}
