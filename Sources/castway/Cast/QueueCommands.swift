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
            let items = ids.map { media.queue.item(id: $0) ?? QueueItem(json: ["itemId": .number($0)]) }
            if self.target.json {
                StandardOutput.write(lines: items.map { JSONValue.object($0.json).text })
            } else {
                let block = QueueBlock(items: items, current: media.snapshot.currentItemID)
                StandardOutput.write(lines: block.lines)
            }
        }
    }
}

/// A queue for people: the item that plays has an arrow.
struct QueueBlock {
    /// The items in their order.
    let items: [QueueItem]
    /// The id of the one that plays.
    let current: Int?

    /// The lines to print.
    var lines: [String] {
        var rows = [["", "ITEM", "LENGTH", "TITLE"]]
        for item in self.items {
            let media = item.media
            rows.append([
                item.itemID == self.current ? ">" : "", item.itemID.map { "\($0)" } ?? "?",
                media?.duration.map(StatusBlock.clock) ?? "-",
                (media?.metadata?.title ?? media?.playableURL ?? "-").printable,
            ])
        }
        return TextTable(rows: rows).lines
    }
}

/// `castway cast HOST add`
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds media to the queue; without one it plays.",
        usage: "castway cast <host>[:<port>] add <url> ... [<options>]",
        discussion: """
            Title and pictures are those of the first address.

            Example:
              castway cast hall.lan add http://192.0.2.9/two.mp4 --title Two
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: "The addresses of the media.")
    var urls: [String]

    @Option(help: ArgumentHelp("The MIME type; default: by the end of the address.", valueName: "mime"))
    var type: String?

    @OptionGroup(title: "Metadata") var metadata: MetadataOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The item that they go before; default: the end.", valueName: "item"))
    var before: Int?

    @Flag(help: "The first of them plays at once.")
    var now = false

    @Option(help: ArgumentHelp("The app that plays it; default: the default media receiver.", valueName: "id"))
    var app: AppID = .defaultMediaReceiver

    func validate() throws {
        for url in self.urls where !url.contains(":") {
            throw ValidationError(
                "'\(url)' is no address. The device fetches the media itself, so it needs one such as "
                    + "http://192.0.2.9/one.mp4.")
        }
        for url in self.urls where self.type == nil && MediaType(ofURL: url) == nil {
            throw ValidationError("The address does not tell the MIME type; give one, such as --type video/mp4.")
        }
    }

    func run() async throws {
        let items = self.items
        try await self.target.withDevice { device in
            let media = try await self.target.follow(try await self.target.run(self.app, on: device))
            try await media.refresh()
            let isInserted = self.now && media.snapshot.hasQueue
            let command: MediaCommand =
                isInserted
                ? .insert(items, before: self.before, playing: 0) : .enqueue(items, before: self.before)
            self.target.show(media: try await media.perform(command), of: media)
        }
    }

    private var items: [QueueItem] {
        self.urls.enumerated().compactMap { index, url in
            var item = QueueItem()
            item.media = MediaFile.information(url: url, type: self.type)
            if index == 0 { item.media?.metadata = self.metadata.metadata }
            item.autoplay = true
            return item
        }
    }
}

/// `castway cast HOST next`
struct NextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Goes to the next item of the queue.",
        usage: "castway cast <host>[:<port>] next")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.command(.next())
    }
}

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

/// `castway cast HOST jump`
struct JumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jump", abstract: "Plays an item of the queue.",
        usage: "castway cast <host>[:<port>] jump <item> [--at <time>]")

    @OptionGroup var target: CastTarget

    @Argument(help: "The item's id, as `queue` shows it.")
    var item: Int

    @Option(parsing: .unconditional, help: ArgumentHelp("Where to start in it, such as 90 or 1:30.", valueName: "time"))
    var at: MediaTime?

    func run() async throws {
        try await self.target.command(.jump(to: self.item, at: self.at?.seconds))
    }
}

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

/// `castway cast HOST move`
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Moves items of the queue.",
        usage: "castway cast <host>[:<port>] move <item> ... [--before <item>]")

    @OptionGroup var target: CastTarget

    @Argument(help: "The items' ids, as `queue` shows them, in their new order.")
    var items: [Int]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The item that they go before; default: the end.", valueName: "item"))
    var before: Int?

    func run() async throws {
        try await self.target.command(.reorder(self.items, before: self.before))
    }
}

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

/// A repeat mode on the command line.
enum RepeatWord: String, ExpressibleByArgument, CaseIterable {
    case off
    case all
    case single
    case shuffle

    /// The mode on the wire.
    var value: RepeatMode {
        switch self {
        case .off: .off
        case .all: .all
        case .single: .single
        case .shuffle: .allAndShuffle
        }
    }
}

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
