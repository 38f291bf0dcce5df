import ArgumentParser
import CastClient

/// `castway cast HOST remove`
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes items from the queue.",
        usage: "castway cast <host>[:<port>] remove <item> ...")

    @OptionGroup var target: CastTarget

    @Argument(help: "The items' ids, as `queue` shows them.")
    var items: [Int]

    func run() async throws {
        try await self.target.command(.remove(self.items))
    }
}
