import ArgumentParser
import CastClient

/// `castway cast HOST move`
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Moves items of the queue.",
        usage: "castway cast <host>[:<port>] move <item> ... [--before <item>]")

    @OptionGroup var target: CastTarget

    @Argument(help: "The items' ids, as `queue` shows them, in their new order.")
    var items: [Int]

    @Option(help: ArgumentHelp("The item that they go before; default: the end.", valueName: "item"))
    var before: Int?

    func run() async throws {
        try await self.target.command(.reorder(self.items, before: self.before))
    }
}
