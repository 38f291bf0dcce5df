import ArgumentParser
import CastClient
import CastWire
import DeviceControl
import SystemPrimitives

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "load", "Plays media, and waits until it does.", arguments: "<url> ... [<options>]",
        """
        The app is joined when it runs, and launched otherwise. The device fetches the address itself, so it must be \
        able to reach it. Several addresses make a queue; metadata, subtitles and --duration are those of the first.

        Ends when the media plays, or with --no-autoplay when it is paused and ready. When the device gives up, or \
        the time is over, it says why and fails; --timeout holds for launch, load and start each.
        """,
        examples: [
            "castway cast hall.lan load http://192.0.2.9/one.mp4 --title One --at 90",
            "castway cast hall.lan load http://192.0.2.9/radio --type audio/mpeg --live",
            "castway cast hall.lan load http://192.0.2.9/one.mp4 --subtitles de=http://192.0.2.9/one.vtt",
            "castway cast hall.lan load http://192.0.2.9/1.mp3 http://192.0.2.9/2.mp3 --repeat all --kind music",
        ])

    @OptionGroup var target: CastTarget
    @Argument(help: "The addresses of the media.") var urls: [String] = []
    @Option(help: .init("The MIME type; default: by the end of the address.", valueName: "mime")) var type: String?
    @OptionGroup(title: "Metadata") var metadata: MetadataOptions
    @Option(parsing: .unconditional, help: .init("Where to start, such as 90 or 1:30.", valueName: "time"))
    var at: MediaTime?
    @Flag(help: "The media is a stream without an end.") var live = false

    @Option(
        parsing: .unconditional,
        help: .init("How long the media is, such as 90 or 1:30, when the device cannot tell.", valueName: "time"))
    var duration: MediaTime?

    @Option(parsing: .unconditional, help: .init("How fast to play; 1 is normal.", valueName: "rate")) var rate: Double?

    @Option(
        help: .init(
            "Subtitles, which must be served with CORS headers; the first are shown. May be given again.",
            valueName: "[language=]url"))
    var subtitles: [SubtitleFile] = []

    @Option(help: .init("What follows the end: off, all, single or shuffle.", valueName: "mode"))
    var `repeat`: RepeatWord?
    @Option(help: .init("What the app needs to know who plays.", valueName: "text")) var credentials: String?
    @Option(help: .init("What kind of credentials these are; with --credentials.", valueName: "word"))
    var credentialsType: String?
    @Option(help: .init("Anything the app expects, as JSON.", valueName: "json")) var customData: String?

    @Option(
        help: .init(
            "Plays what a deep link of the app names, instead of addresses; of the options for media only --custom-data goes with it.",
            valueName: "link"))
    var entity: String?

    @Option(help: .init("The app that plays it; default: the default media receiver.", valueName: "id"))
    var app: AppID = .defaultMediaReceiver
    @Flag(inversion: .prefixedNo, help: "Whether it plays at once, which is the default, or waits paused.")
    var autoplay: Bool?

    func validate() throws {
        if let rate, !(rate.isFinite && rate > 0) { throw ValidationError("The rate is more than 0.") }
        guard self.urls.isEmpty == (self.entity != nil) else {
            throw ValidationError("Give the address of the media, or --entity.")
        }
        if self.entity != nil, !self.optionsForAddresses.isEmpty {
            throw ValidationError(
                "--entity leaves to the app what is played and how, so it does not go with "
                    + self.optionsForAddresses.joined(separator: ", ") + ".")
        }
        if self.credentialsType != nil, self.credentials == nil {
            throw ValidationError("--credentials-type says what --credentials are, so it needs them.")
        }
        for url in self.urls where !Self.isAddress(url) {
            throw ValidationError(
                "'\(url)' is no address. The device fetches the media itself, so it needs one such as "
                    + "http://192.0.2.9/one.mp4; a file has to be served to it, as by python3 -m http.server.")
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
            let media = try await self.target.follow(try await self.target.run(self.app, on: device))
            let start = PlaybackStart(isPaused: self.autoplay == false, timeout: self.target.loadTimeout)
            let reply = try await ProgressLine.showing("waiting for playback") {
                try await start.perform(command, by: media)
            }
            self.target.show(media: reply, of: media)
        }
    }

    /// Whether a text has a scheme that a device can fetch by: a drive (`C:`) and `file:` are places on this machine's disk.
    private static func isAddress(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }
        return scheme.count > 1 && scheme.count < text.count && scheme.lowercased() != "file"
    }

    /// The options that are given and that only a load of addresses can carry.
    private var optionsForAddresses: [String] {
        let given: [(String, Bool)] = [
            ("--type", self.type != nil), ("--at", self.at != nil), ("--live", self.live),
            ("--duration", self.duration != nil), ("--rate", self.rate != nil),
            ("--subtitles", !self.subtitles.isEmpty), ("--repeat", self.repeat != nil),
            ("--credentials", self.credentials != nil),
            ("--autoplay", self.autoplay == true), ("--no-autoplay", self.autoplay == false),
        ]
        return self.metadata.given + given.filter(\.1).map(\.0)
    }

    var command: MediaCommand {
        let customData = self.customData.flatMap { try? JSONReader.read($0) }
        if let entity {
            let command = MediaCommand.load(entity: entity)
            return customData.map(command.with(customData:)) ?? command
        }
        var request = LoadRequest()
        request.media = self.media.first
        request.autoplay = self.autoplay ?? true
        request.currentTime = self.at?.seconds
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
            let media = MediaFile.information(url: url, type: self.type, isLive: self.live)
            guard index == 0, var media else { return media }
            media.duration = self.duration?.seconds
            media.metadata = self.metadata.metadata
            let tracks = self.subtitles.enumerated().map { $1.track(id: $0 + 1) }
            if !tracks.isEmpty { media.tracks = tracks }
            return media
        }
    }
}

/// A file with subtitles on the command line: `URL` or `LANGUAGE=URL`.
struct SubtitleFile: ExpressibleByArgument, Hashable {
    let url: String
    /// The language's tag, as in RFC 5646.
    let language: String?

    init?(argument: String) {
        if let equals = argument.firstIndex(of: "="), !argument[..<equals].contains(where: { ":/?".contains($0) }) {
            self.language = String(argument[..<equals])
            self.url = String(argument[argument.index(after: equals)...])
        } else {
            self.language = nil
            self.url = argument
        }
        guard !self.url.isEmpty, self.language != "" else { return nil }
    }

    func track(id: Int) -> MediaTrack {
        var track = MediaTrack()
        track.trackID = id
        track.type = .text
        track.subtype = .subtitles
        track.trackContentID = self.url
        track.trackContentType = self.url.lowercased().hasSuffix(".ttml") ? .ttml : .webVTT
        track.name = self.language ?? "Subtitles"
        track.language = self.language ?? "und"
        return track
    }
}

/// Loads media and waits until they play: receivers answer a load while they are still buffering.
struct PlaybackStart: Sendable {
    /// What a status says of the start.
    enum Progress: Hashable, Sendable {
        case waiting, done
        case failed(String)
    }

    /// Whether the media are to be paused at their beginning.
    let isPaused: Bool
    /// How long the answer, and then the start, may take.
    let timeout: Duration

    /// Sends a load.
    /// - Returns: the device's own status once the media play.
    /// - Throws: ``CommandFailure`` when they do not; `RequestError` when the load is refused.
    func perform(_ command: MediaCommand, by media: MediaClient) async throws -> JSONObject {
        let events = media.events()
        let reply = try await media.perform(command)
        let session = media.snapshot.mediaSessionID
        if try Self.isDone(self.progress(media.snapshot)) { return reply }
        try await race {
            try await self.follow(events, of: media, session: session)
        } against: {
            try await Task.sleep(for: self.timeout)
            let state = media.snapshot.playerState.rawValue.uppercased()
            throw CommandFailure(
                .timedOut,
                "the media is loaded, and still \(state) after \(CommandTimeout(self.timeout).defaultValueDescription)")
        }
        return try await media.perform(.refreshStatus())
    }

    private func follow(_ events: AsyncStream<MediaEvent>, of client: MediaClient, session: Int?) async throws {
        for await event in events {
            var progress = self.progress(client.snapshot)
            switch event {
            case .availability(false): throw CommandFailure(.unreachable, "the app, or the device, is gone")
            case .error(let error): throw error
            // The status that told of it may be replaced already.
            case .sessionEnded(let ended, let reason) where ended == session: progress = Self.end(reason)
            default: break
            }
            if try Self.isDone(progress) { return }
        }
        // Ended by the time that is over, which is thrown beside this.
        try Task.checkCancellation()
        throw CommandFailure(.unreachable, "the app, or the device, is gone")
    }

    private static func isDone(_ progress: Progress) throws(CommandFailure) -> Bool {
        if case .failed(let reason) = progress { throw CommandFailure(.refused, reason) }
        return progress == .done
    }

    /// What a status that came after the load says.
    func progress(_ snapshot: MediaSnapshot) -> Progress {
        switch snapshot.playerState {
        case .playing: return .done
        // Pictures never play; everything else goes through a pause only when it waits for a command.
        case .paused:
            return self.isPaused || snapshot.media?.contentType?.hasPrefix("image/") == true ? .done : .waiting
        case .idle: return Self.end(snapshot.idleReason)
        case .unknown, .loading, .buffering: return .waiting
        }
    }

    /// What the end of the media session comes to.
    private static func end(_ reason: IdleReason?) -> Progress {
        switch reason {
        // Shorter than the time between two statuses.
        case .finished?: .done
        case .error?: .failed("the device cannot play the media: IDLE, ERROR")
        case .cancelled?: .failed("playback was stopped before it began: IDLE, CANCELLED")
        case .interrupted?: .failed("another load came before playback began: IDLE, INTERRUPTED")
        default: .waiting
        }
    }
}
