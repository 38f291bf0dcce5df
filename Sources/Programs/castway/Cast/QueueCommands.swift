import ArgumentParser
import CastClient
import CastWire

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "queue", "Shows what the queue holds.", arguments: "[--json]",
        "With --json every item is printed as the device has it, one a line.")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            let media = try await self.target.follow(try await device.joinMediaApp())
            let items = try await media.fetchQueue().map {
                media.queue.item(id: $0) ?? QueueItem(json: ["itemId": .number($0)])
            }
            self.target.output.write(items.map(\.json), else: Self.lines(items, current: media.snapshot.currentItemID))
        }
    }

    /// The queue for people: the item that plays has an arrow.
    private static func lines(_ items: [QueueItem], current: Int?) -> [String] {
        let rows = items.map { item in
            [
                item.itemID == current ? ">" : "", item.itemID.map { "\($0)" } ?? "?",
                item.media?.duration.map(Duration.clock) ?? "-",
                (item.media?.metadata?.title ?? item.media?.playableURL ?? "-").printable,
            ]
        }
        return TextTable(rows: [["", "ITEM", "LENGTH", "TITLE"]] + rows).lines
    }
}

extension MediaClient {
    /// Asks for the queue: the ids, and a page of items at a time.
    /// - Returns: the ids. The client knows the items that the app gave; some apps give no more than ids.
    func fetchQueue() async throws -> [Int] {
        let (ids, page) = (MediaRequest(json: try await self.perform(.fetchItemIDs())).itemIDs ?? [], 20)
        for start in stride(from: 0, to: ids.count, by: page) {
            _ = try? await self.perform(.fetchItems(Array(ids[start...].prefix(page))))
        }
        return ids
    }
}

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "add", "Adds media to the queue; without one it plays.", arguments: "<url> ... [<options>]",
        "Title and pictures are those of the first address.",
        examples: ["castway cast hall.lan add http://192.0.2.9/two.mp4 --title Two"])

    @OptionGroup var target: CastTarget
    @Argument(help: "The addresses of the media.") var urls: [String]
    @Option(help: .init("The MIME type; default: by the end of the address.", valueName: "mime")) var type: String?
    @OptionGroup(title: "Metadata") var metadata: MetadataOptions
    @Option(parsing: .unconditional, help: .init("The item that they go before; default: the end.", valueName: "item"))
    var before: Int?
    @Flag(help: "The first of them plays at once.") var now = false
    @Option(help: .init("The app that plays it; default: the default media receiver.", valueName: "id"))
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
                isInserted ? .insert(items, before: self.before, playing: 0) : .enqueue(items, before: self.before)
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

struct NextControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "next", "Goes to the next item of the queue.")

    var command: MediaCommand { .next() }
}

struct PreviousControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "previous", "Goes to the item of the queue before this one.")

    var command: MediaCommand { .previous() }
}

struct JumpControl: MediaControl {
    static let configuration = CommandConfiguration(
        cast: "jump", "Plays an item of the queue.", arguments: "<item> [--at <time>]")

    @Argument(help: "The item's id, as `queue` shows it.") var item: Int
    @Option(parsing: .unconditional, help: .init("Where to start in it, such as 90 or 1:30.", valueName: "time"))
    var at: MediaTime?

    var command: MediaCommand { .jump(to: self.item, at: self.at?.seconds) }
}

struct RemoveControl: MediaControl {
    static let configuration = CommandConfiguration(
        cast: "remove", "Removes items from the queue.", arguments: "<item> ...")

    @Argument(help: "The items' ids, as `queue` shows them.") var items: [Int]

    var command: MediaCommand { .remove(self.items) }
}

struct MoveControl: MediaControl {
    static let configuration = CommandConfiguration(
        cast: "move", "Moves items of the queue.", arguments: "<item> ... [--before <item>]")

    @Argument(help: "The items' ids, as `queue` shows them, in their new order.") var items: [Int]
    @Option(parsing: .unconditional, help: .init("The item that they go before; default: the end.", valueName: "item"))
    var before: Int?

    var command: MediaCommand { .reorder(self.items, before: self.before) }
}

struct RepeatControl: MediaControl {
    static let configuration = CommandConfiguration(
        cast: "repeat", "Sets what follows the end of an item.", arguments: "off|all|single|shuffle")

    @Argument(help: "`shuffle` repeats all in another order each time.") var mode: RepeatWord

    var command: MediaCommand { .setRepeatMode(self.mode.value) }
}

enum RepeatWord: String, ExpressibleByArgument, CaseIterable {
    case off, all, single, shuffle

    var value: RepeatMode {
        switch self {
        case .off: .off
        case .all: .all
        case .single: .single
        case .shuffle: .allAndShuffle
        }
    }
}

struct ShuffleControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "shuffle", "Shuffles the queue.", arguments: "[--off]")

    @Flag(help: "Puts the queue back in order.") var off = false

    var command: MediaCommand { .setShuffled(!self.off) }
}
