import ArgumentParser
import CastClient

/// `castway cast HOST repeat`
struct RepeatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repeat", abstract: "Sets what follows the end of an item.",
        usage: "castway cast <host>[:<port>] repeat off|all|single|shuffle")

    @OptionGroup var target: CastTarget

    @Argument(help: "`shuffle` repeats all in another order each time.")
    var mode: RepeatWord

    func run() async throws {
        try await self.target.command(.setRepeatMode(self.mode.value))
    }
}
