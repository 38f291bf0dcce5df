import ArgumentParser
import CastSender
import CastWire

/// `castway cast HOST load`
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Plays media, and waits until it does.",
        usage: "castway cast <host>[:<port>] load <url> [<options>]",
        discussion: """
            The app is joined when it runs, and launched otherwise. The device fetches the address itself, so it must \
            be able to reach it.

            Examples:
              castway cast hall.lan load http://192.0.2.9/one.mp4 --title One --at 90
              castway cast hall.lan load http://192.0.2.9/radio --type audio/mpeg --live
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: "The address of the media.")
    var url: String

    @Option(help: ArgumentHelp("The MIME type; default: by the end of the address.", valueName: "mime"))
    var type: String?

    @Option(help: ArgumentHelp("What the device shows as title.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("Where to start.", valueName: "seconds"))
    var at: Double?

    @Flag(help: "The media is a stream without an end.")
    var live = false

    @Option(help: ArgumentHelp("The app that plays it; default: the default media receiver.", valueName: "id"))
    var app: AppID = .defaultMediaReceiver

    @Flag(inversion: .prefixedNo, help: "Whether it plays at once, or waits paused.")
    var autoplay = true

    func validate() throws {
        if let at, !(at.isFinite && at >= 0) { throw ValidationError("The media starts at 0 seconds or later.") }
        if self.type == nil, MediaType(ofURL: self.url) == nil {
            throw ValidationError("The address does not tell the MIME type; give one, such as --type video/mp4.")
        }
    }

    func run() async throws {
        let type = self.type ?? MediaType(ofURL: self.url)?.name ?? ""
        var request = LoadRequest(url: self.url, contentType: type, isLive: self.live, title: self.title)
        request.autoplay = self.autoplay
        request.currentTime = self.at
        let complete = request
        try await self.target.withDevice { device in
            let app = try await device.run(self.app)
            self.target.show(media: try await app.load(complete), of: app.application)
        }
    }
}
