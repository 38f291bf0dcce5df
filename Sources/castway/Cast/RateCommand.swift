import ArgumentParser
import CastClient

/// `castway cast HOST rate`
struct RateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Plays faster or slower.",
        usage: "castway cast <host>[:<port>] rate <rate>")

    @OptionGroup var target: CastTarget

    @Argument(help: "1 is normal; most apps take 0.5 to 2.")
    var rate: Double

    func run() async throws {
        try await self.target.command(.setPlaybackRate(self.rate))
    }
}
