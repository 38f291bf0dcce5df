import ArgumentParser
import CastClient

/// `castway cast HOST skip-ad`
struct SkipAdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip-ad", abstract: "Skips the advertisement that plays.",
        usage: "castway cast <host>[:<port>] skip-ad")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.skipAd())
    }
}
