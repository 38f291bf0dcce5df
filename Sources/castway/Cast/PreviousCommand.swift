import ArgumentParser
import CastClient

/// `castway cast HOST previous`
struct PreviousCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous", abstract: "Goes to the item of the queue before this one.",
        usage: "castway cast <host>[:<port>] previous")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.previous())
    }
}
