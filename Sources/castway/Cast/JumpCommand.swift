import ArgumentParser
import DeviceSessions

/// `castway cast HOST jump`
struct JumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jump", abstract: "Plays an item of the queue.",
        usage: "castway cast <host>[:<port>] jump <item> [--at <seconds>]")

    @OptionGroup var target: CastTarget

    @Argument(help: "The item's id, as `queue` shows it.")
    var item: Int

    @Option(help: ArgumentHelp("Where to start in it.", valueName: "seconds"))
    var at: Double?

    func run() async throws {
        try await self.target.command(.jump(to: self.item, at: self.at))
    }
}
