import ArgumentParser
import CastClient

/// `castway cast HOST jump`
struct JumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jump", abstract: "Plays an item of the queue.",
        usage: "castway cast <host>[:<port>] jump <item> [--at <time>]")

    @OptionGroup var target: CastTarget

    @Argument(help: "The item's id, as `queue` shows it.")
    var item: Int

    @Option(help: ArgumentHelp("Where to start in it, such as 90 or 1:30.", valueName: "time"))
    var at: MediaTime?

    func run() async throws {
        try await self.target.command(.jump(to: self.item, at: self.at?.seconds))
    }
}
