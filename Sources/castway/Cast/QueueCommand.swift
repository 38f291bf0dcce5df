import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST queue`
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Shows what the queue holds.",
        usage: "castway cast <host>[:<port>] queue [--json]",
        discussion: """
            With --json every item is printed as the device has it, one a line.
            """)

    @OptionGroup var target: CastTarget

    private static let pageSize = 20

    func run() async throws {
        try await self.target.withDevice { device in
            let media = try await self.target.follow(try await device.joinMediaApp())
            let reply = try await media.perform(.fetchItemIDs())
            let ids = MediaRequest(json: reply).itemIDs ?? []
            for start in stride(from: 0, to: ids.count, by: Self.pageSize) {
                // An app that knows no more than the ids shows these.
                _ = try? await media.perform(.fetchItems(Array(ids[start...].prefix(Self.pageSize))))
            }
            let items = ids.map { media.client.queue.item(id: $0) ?? QueueItem(json: ["itemId": .number($0)]) }
            if self.target.json {
                StandardOutput.write(lines: items.map { JSONValue.object($0.json).text })
            } else {
                let block = QueueBlock(items: items, current: media.client.snapshot.currentItemID)
                StandardOutput.write(lines: block.lines)
            }
        }
    }
}
