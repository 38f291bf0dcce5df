import ArgumentParser
import CastClient
import CastWire

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

    @Option(help: ArgumentHelp("The item that they go before; default: the end.", valueName: "item"))
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
            try await media.client.refresh()
            let isInserted = self.now && media.client.snapshot.hasQueue
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
