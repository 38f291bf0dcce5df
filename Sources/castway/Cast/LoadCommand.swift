import ArgumentParser
import CastSender
import CastWire
import DeviceSessions

/// `castway cast HOST load`
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Plays media, and waits until it does.",
        usage: "castway cast <host>[:<port>] load <url> ... [<options>]",
        discussion: """
            The app is joined when it runs, and launched otherwise. The device fetches the address itself, so it must \
            be able to reach it. Several addresses make a queue; title and pictures are those of the first.

            Examples:
              castway cast hall.lan load http://192.0.2.9/one.mp4 --title One --at 90
              castway cast hall.lan load http://192.0.2.9/radio --type audio/mpeg --live
              castway cast hall.lan load http://192.0.2.9/one.mp4 --subtitles de=http://192.0.2.9/one.vtt
              castway cast hall.lan load http://192.0.2.9/1.mp3 http://192.0.2.9/2.mp3 --repeat all --kind music
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: "The addresses of the media.")
    var urls: [String] = []

    @Option(help: ArgumentHelp("The MIME type; default: by the end of the address.", valueName: "mime"))
    var type: String?

    @OptionGroup(title: "Metadata") var metadata: MetadataOptions

    @Option(help: ArgumentHelp("Where to start.", valueName: "seconds"))
    var at: Double?

    @Flag(help: "The media is a stream without an end.")
    var live = false

    @Option(help: ArgumentHelp("How long the media is, when the device cannot tell.", valueName: "seconds"))
    var duration: Double?

    @Option(help: ArgumentHelp("How fast to play; 1 is normal.", valueName: "rate"))
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Subtitles, which must be served with CORS headers; the first are shown. May be given again.",
            valueName: "[language=]url"))
    var subtitles: [SubtitleFile] = []

    @Option(help: ArgumentHelp("off, all, single or shuffle; with several addresses.", valueName: "mode"))
    var `repeat`: RepeatWord?

    @Option(help: ArgumentHelp("What the app needs to know who plays.", valueName: "text"))
    var credentials: String?

    @Option(help: ArgumentHelp("What kind of credentials these are.", valueName: "word"))
    var credentialsType: String?

    @Option(help: ArgumentHelp("Anything the app expects, as JSON.", valueName: "json"))
    var customData: String?

    @Option(help: ArgumentHelp("Plays what a deep link of the app names, instead of addresses.", valueName: "link"))
    var entity: String?

    @Option(help: ArgumentHelp("The app that plays it; default: the default media receiver.", valueName: "id"))
    var app: AppID = .defaultMediaReceiver

    @Flag(inversion: .prefixedNo, help: "Whether it plays at once, or waits paused.")
    var autoplay = true

    func validate() throws {
        if let at, !(at.isFinite && at >= 0) { throw ValidationError("The media starts at 0 seconds or later.") }
        if let rate, !(rate.isFinite && rate > 0) { throw ValidationError("The rate is more than 0.") }
        guard self.urls.isEmpty == (self.entity != nil) else {
            throw ValidationError("Give the address of the media, or --entity.")
        }
        for url in self.urls where self.type == nil && MediaType(ofURL: url) == nil {
            throw ValidationError("The address does not tell the MIME type; give one, such as --type video/mp4.")
        }
        if let customData, (try? JSONReader.read(customData)) == nil {
            throw ValidationError("The custom data is no JSON.")
        }
    }

    func run() async throws {
        let command = self.command
        try await self.target.withDevice { device in
            let media = try await self.target.follow(try await device.run(self.app))
            self.target.show(media: try await media.perform(command), of: media)
        }
    }

    /// What is sent.
    var command: MediaCommand {
        let customData = self.customData.flatMap { try? JSONReader.read($0) }
        if let entity {
            let command = MediaCommand.load(entity: entity)
            return customData.map(command.with(customData:)) ?? command
        }
        var request = LoadRequest()
        request.media = self.media.first
        request.autoplay = self.autoplay
        request.currentTime = self.at
        request.playbackRate = self.rate
        request.credentials = self.credentials
        request.credentialsType = self.credentialsType
        request.customData = customData
        if let subtitle = self.media.first?.tracks?.first?.trackID { request.activeTrackIDs = [subtitle] }
        if self.urls.count > 1 {
            var queue = QueueData()
            queue.items = self.media.map { media in
                var item = QueueItem()
                item.media = media
                item.autoplay = true
                return item
            }
            queue.startIndex = 0
            queue.repeatMode = (self.repeat ?? .off).value
            request.queueData = queue
        } else if let mode = self.repeat {
            request.repeatMode = mode.value
        }
        return .load(request)
    }

    private var media: [MediaInformation] {
        self.urls.enumerated().compactMap { index, url in
            guard var media = MediaFile.information(url: url, type: self.type, isLive: self.live), index == 0 else {
                return MediaFile.information(url: url, type: self.type, isLive: self.live)
            }
            media.duration = self.duration
            media.metadata = self.metadata.metadata
            let tracks = self.subtitles.enumerated().map { $1.track(id: $0 + 1) }
            if !tracks.isEmpty { media.tracks = tracks }
            return media
        }
    }
}
