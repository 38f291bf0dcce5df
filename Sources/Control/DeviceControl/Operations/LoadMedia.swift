import CastClient
import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations
import GatewaySettings
import MediaCatalogues

/// `media.load`
struct LoadMedia: DeviceControlOperation {
    static let name: OperationName = "media.load"
    static let scopedParts = ["credentials", "atv_credentials"].map { ScopedPart($0, scope: .credentials) }
    static let route = OperationRoute(.post, "/devices/{device}/media/load")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Plays something: a medium by its address or id, a queue, or what a deep link names"
    static let details =
        "With `app`, the app is started first if it does not run. Without it the app that runs plays, if it takes media; otherwise that of "
        + "`launch.set` or `discovery.receiver_app` is started, the default media receiver if neither names one. It is answered when the app has loaded. What is not known of a medium is left out; the app then decides. "
        + "The session with a real device that it takes stays until it is ended. With `catalogue` and `item` the medium is that of a catalogue; the "
        + "keys of the medium beside them win, and `content_type` says which of its sources is played. Items of `queue` may have both in the "
        + "place of `media`."
    static let result = MediaResult.result("How the media stands then")
    static let problems =
        DeviceProblem.media + CatalogueMedia.problems + [
            OperationProblemCase("application_not_found", 404, "the device does not have the app")
        ]

    let controls: DeviceControls

    func perform(_ input: LoadInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        let input = try input.resolved(by: self.controls.catalogue)
        let command = input.command(by: self.controls.context.configuration.current.media)
        if let app = input.app {
            _ = try await self.controls.start(SessionStartRequest(app: AppID(rawValue: app)), on: device)
        }
        do throws(OperationProblem) {
            return MediaResult.json(device, try await self.controls.load(command, on: device))
        } catch  where input.app == nil {
            guard let app = self.controls.devices.loadedApp, await self.lacksPlayer(device, error) else { throw error }
            _ = try await self.controls.start(SessionStartRequest(app: app), on: device)
            return MediaResult.json(device, try await self.controls.load(command, on: device))
        }
    }

    /// Whether a load failed since no app runs that takes media.
    private func lacksPlayer(_ device: any ControlledDevice, _ problem: OperationProblem) async -> Bool {
        switch problem.code {
        case "application_not_running": true
        case "unsupported_feature": await !device.media().isAvailable
        default: false
        }
    }
}

/// What `media.load` takes.
struct LoadInput: DeviceInput, RuledInput {
    /// How a medium is delivered.
    enum Delivery: String, Sendable, CaseIterable {
        case buffered, live, none
    }

    var device = DeviceReference("")
    var app: String?
    // The medium.
    var url: String?
    var contentID: String?
    var contentType: String?
    var streamType: Delivery?
    var duration: Double?
    var metadata: JSONValue?
    var tracks: JSONValue?
    var textStyle: TextStyleInput?
    var breaks: JSONValue?
    var breakClips: JSONValue?
    var vmap: JSONValue?
    var hlsSegmentFormat: String?
    var hlsVideoSegmentFormat: String?
    var startAbsoluteTime: Double?
    var mediaCustomData: JSONValue?
    var media: JSONValue?
    var catalogue: String?
    var item: String?
    // The queue, or the link.
    var queue: JSONValue?
    var entity: String?
    var isShuffled: Bool?
    // How it is played.
    var position: Double?
    var autoplay = AutoplayOption.always(true)
    var rate: Double?
    var activeTracks: [Int]?
    var repeatMode: RepeatWord?
    var credentials: Secret?
    var credentialsType: String?
    var tvCredentials: Secret?
    var tvCredentialsType: String?
    var loadOptions: JSONValue?
    var customData: JSONValue?

    private static let source: [Key] = [
        .device(\.device),
        .optional(
            "app", \.app, .appID, "The app that plays it; without it the one that runs, or else the default",
            example: "CC1AD845"),
        .optional(
            "url", \.url, .text(maximumBytes: 8192), "Where the medium is", example: "http://192.0.2.9/film.mp4"),
        .optional(
            "content_id", \.contentID, .text(maximumBytes: 8192), "What the app calls it; without it its address"),
        .optional("content_type", \.contentType, .text(maximumBytes: 256), "Its MIME type", example: "video/mp4"),
        .optional("stream_type", \.streamType, .word, "How it is delivered; without it a file is meant"),
        .optional("duration", \.duration, .number(0...1e9), "Its length, in seconds"),
        .optional(
            "metadata", \.metadata, .json, "What is shown: `metadataType`, `title`, `images` and others of the kind",
            example: "{\"metadataType\": 0, \"title\": \"A film\"}"),
        .optional("tracks", \.tracks, .json, "Its tracks, each with a `trackId` of its own"),
        .optional("text_style", \.textStyle, .object, "How text is shown"),
        .optional("breaks", \.breaks, .json, "Its breaks"),
        .optional("break_clips", \.breakClips, .json, "The clips of the breaks"),
        .optional("vmap", \.vmap, .json, "Where its breaks are fetched (`vmapAdsRequest`)"),
        .optional("hls_segment_format", \.hlsSegmentFormat, .text(maximumBytes: 32), "Of HLS sound", example: "fmp4"),
        .optional(
            "hls_video_segment_format", \.hlsVideoSegmentFormat, .text(maximumBytes: 32), "Of HLS pictures",
            example: "fmp4"),
        .optional(
            "start_absolute_time", \.startAbsoluteTime, .number(0...1e11),
            "When a live programme began, in seconds since 1970"),
        .optional("media_custom_data", \.mediaCustomData, .json, "What the app is told of the medium"),
        .optional(
            "media", \.media, .json, "Further fields of the medium, as the protocol has them; the keys above win"),
        .optional(
            "catalogue", \.catalogue, .text(allowed: "a-z0-9_-", length: 1...32),
            "The catalogue that has the medium", example: "films"),
        .optional(
            "item", \.item, .text(maximumBytes: 1024), "Its id there, as `catalogue.get` has it",
            example: "big-buck-bunny"),
    ]

    private static let play: [Key] = [
        .optional(
            "queue", \.queue, .json, "A queue: `items` with `media` each, `startIndex`, `repeatMode` and others"),
        .optional("entity", \.entity, .text(maximumBytes: 8192), "A deep link that the app resolves"),
        .optional("shuffle", \.isShuffled, .boolean, "Whether what `entity` names is shuffled"),
        .optional("position", \.position, .number(0...1e9), "Where it starts, in seconds"),
        Key(
            "autoplay", \.autoplay, .autoplay,
            "Whether it plays at once; otherwise it is paused. `by_item`: as the first item of the queue says"),
        .optional("rate", \.rate, .number(0.01...100), "How fast it plays; 1 is normal"),
        .optional(
            "active_tracks", \.activeTracks, .list(of: .integer(0...Int.max)), "The ids of the tracks that are on"),
        .optional("repeat_mode", \.repeatMode, .word, "What follows the end of a queue item"),
        .optional(
            "credentials", \.credentials, .hiddenText(maximumBytes: 8192),
            "Who loads, for the app; without them those of `launch` that are meant for loads"),
        .optional(
            "credentials_type", \.credentialsType, .text(maximumBytes: 256), "Where they come from", example: "web"),
        .optional(
            "atv_credentials", \.tvCredentials, .hiddenText(maximumBytes: 8192), "The same for an Android TV app"),
        .optional("atv_credentials_type", \.tvCredentialsType, .text(maximumBytes: 256), "Where those come from"),
        .optional("load_options", \.loadOptions, .json, "Further options of the load (`loadOptions`)"),
        .customData(\.customData),
    ]

    static let keys: [Key] = Self.source + Self.play

    static let rules: [InputRule] = [
        .launchableApp, .any(of: ["url", "content_id", "media", "queue", "entity", "catalogue"]),
        .objects(["metadata", "vmap", "media", "queue", "load_options"]),
        .lists(["tracks", "breaks", "break_clips"]),
        .needs("credentials_type", "credentials"), .needs("atv_credentials_type", "atv_credentials"),
        .needs("shuffle", "entity"), .needs("catalogue", "item"), .needs("item", "catalogue"),
        .notBoth("catalogue", "url"), .notBoth("catalogue", "content_id"), .notBoth("catalogue", "media"),
        .notBoth("catalogue", "queue"), .notBoth("catalogue", "entity"),
        // An entity alone is all that its message says.
        .needAny(
            ["position", "autoplay", "rate", "active_tracks", "repeat_mode", "atv_credentials"],
            of: ["url", "content_id", "media", "queue", "catalogue"]),
        .needAny(
            [
                "content_type", "stream_type", "duration", "metadata", "tracks", "text_style", "breaks", "break_clips",
                "vmap",
                "hls_segment_format", "hls_video_segment_format", "start_absolute_time", "media_custom_data",
            ], of: ["url", "content_id", "media", "catalogue"]),
    ]

    init(blank: ConfigBlank) {}

    /// Whether a link alone says what is to be played.
    private var isLink: Bool {
        self.entity != nil && self.url == nil && self.contentID == nil && self.media == nil && self.queue == nil
    }

    /// The same with the media of catalogues in the place of their names.
    /// - Throws: as ``CatalogueMedia/medium(_:_:as:)``.
    func resolved(by catalogue: CatalogueMedia) throws(OperationProblem) -> LoadInput {
        var input = self
        if let name = self.catalogue, let item = self.item {
            input.media = .object(try catalogue.medium(name, item, as: self.contentType).json)
        }
        if var queue = self.queue?.objectValue, let items = queue.array("items") {
            queue["items"] = .array(try catalogue.items(items))
            input.queue = .object(queue)
        }
        return input
    }

    /// What the app is asked for.
    func command(by preferences: MediaPreferences) -> MediaCommand {
        if self.isLink, let entity = self.entity {
            var command = MediaCommand.load(
                entity: entity, shuffled: self.isShuffled, options: self.loadOptions?.objectValue)
            command = command.with(self.customData)
            if let secret = self.credentials { command.body["credentials"] = .string(secret.reveal()) }
            if let type = self.credentialsType { command.body["credentialsType"] = .string(type) }
            return command
        }
        return .load(preferences.applied(to: self.request))
    }

    private var request: LoadRequest {
        var load = LoadRequest()
        if self.url != nil || self.contentID != nil || self.media != nil { load.media = self.medium }
        if let queue = self.queue?.objectValue { load.queueData = QueueData(json: queue) }
        switch self.autoplay {
        case .always(let plays): load.autoplay = plays
        case .byItem: load = MediaCommand.leavingAutoplayToItems(load)
        }
        load.currentTime = self.position
        load.playbackRate = self.rate
        load.activeTrackIDs = self.activeTracks
        load.repeatMode = self.repeatMode?.mode
        load.credentials = self.credentials?.reveal()
        load.credentialsType = self.credentialsType
        load.atvCredentials = self.tvCredentials?.reveal()
        load.atvCredentialsType = self.tvCredentialsType
        load.loadOptions = self.loadOptions?.objectValue
        load.customData = self.customData
        return load
    }

    private var medium: MediaInformation {
        var medium = MediaInformation(json: self.media?.objectValue ?? [:])
        if let url = self.url { medium.contentURL = url }
        if let id = self.contentID { medium.contentID = id }
        if let type = self.contentType { medium.contentType = type }
        if let streamType = self.streamType {
            medium.streamType = StreamType(rawValue: streamType.rawValue.uppercased())
        }
        if let duration = self.duration { medium.duration = duration }
        if let entity = self.entity { medium.entity = entity }
        if let style = self.textStyle { medium.textTrackStyle = style.style }
        if let time = self.startAbsoluteTime { medium.startAbsoluteTime = time }
        let passed: [(String, JSONValue?)] = [
            ("metadata", self.metadata), ("tracks", self.tracks), ("breaks", self.breaks),
            ("breakClips", self.breakClips), ("vmapAdsRequest", self.vmap), ("customData", self.mediaCustomData),
            ("hlsSegmentFormat", self.hlsSegmentFormat.map { .string($0) }),
            ("hlsVideoSegmentFormat", self.hlsVideoSegmentFormat.map { .string($0) }),
        ]
        for (name, value) in passed { if let value { medium.json[name] = value } }
        return medium
    }
}

/// Whether what is loaded plays at once.
enum AutoplayOption: Sendable, Hashable {
    case always(Bool)
    /// As the first item of the queue says; a single medium is paused.
    case byItem
}

extension ConfigType where Value == AutoplayOption {
    /// `true`, `false`, or the word `by_item`.
    fileprivate static var autoplay: ConfigType {
        ConfigType(.oneOf(.boolean, .word("by_item")), text: { $0 == .byItem ? "by_item" : "\($0 == .always(true))" }) {
            switch $0.content {
            case .boolean(let plays): .always(plays)
            case .string("by_item"): .byItem
            default: nil
            }
        }
    }
}

/// What follows the end of a queue item, as callers write it.
enum RepeatWord: String, Sendable, CaseIterable {
    case off, all, single
    case allAndShuffle = "all_and_shuffle"

    /// The same in the protocol.
    var mode: RepeatMode {
        switch self {
        case .off: .off
        case .all: .all
        case .single: .single
        case .allAndShuffle: .allAndShuffle
        }
    }
}
