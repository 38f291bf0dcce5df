import ArgumentParser
import CastClient

/// `castway cast HOST shuffle`
struct ShuffleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shuffle", abstract: "Shuffles the queue.",
        usage: "castway cast <host>[:<port>] shuffle [--off]")

    @OptionGroup var target: CastTarget

    @Flag(help: "Puts the queue back in order.")
    var off = false

    func run() async throws {
        try await self.target.command(.setShuffled(!self.off))
    }
}
