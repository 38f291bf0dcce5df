public import GatewayConfig

/// `virtual_devices[].apps.ID.options`: how the simulated player behaves.
public struct SimulationOptions: ConfigSettings {
    /// From LOAD to the first media status.
    public var loadDelay = Duration.milliseconds(200)
    /// How long the player reports BUFFERING before it plays.
    public var buffering = Duration.milliseconds(100)
    /// From LAUNCH to the running app. Not zero: pychromecast breaks its own channel when an app appears while it still
    /// writes the LAUNCH.
    public var launchDelay = Duration.milliseconds(100)
    /// The length of media whose LOAD names none.
    public var defaultDuration = Duration.seconds(600)
    /// How long before the end of an item the next one is preloaded.
    public var preloadTime = Duration.seconds(20)
    /// The length of the seekable window of live media.
    public var liveWindow = Duration.seconds(30)
    /// The commands that the app takes; nil for all that the player has.
    public var supportedCommands: [MediaCommandName]?
    /// Whether requests for other commands are refused; otherwise they are only not offered.
    public var refusesOthers = true
    /// The speed of media whose LOAD names none, 0.5 to 2.
    public var playbackRate = 1.0
    /// The language of the text track that is shown when a LOAD chooses no tracks; nil shows none.
    public var textLanguage: String?
    /// Whether breaks play that a LOAD calls watched.
    public var playsWatchedBreaks = false
    /// Media that fail, the first match decides.
    public var failures: [SimulatedFailure] = []

    /// The keys of `virtual_devices[].apps.ID.options`.
    public static let keys: [Key] = [
        Key("load_delay", \.loadDelay, .duration(), "From LOAD to the first media status"),
        Key("buffering", \.buffering, .duration(), "How long the player buffers before it plays"),
        Key("launch_delay", \.launchDelay, .duration(), "From LAUNCH to the running app; devices take longer"),
        Key("default_duration", \.defaultDuration, .duration(), "The length of media whose LOAD names none"),
        Key(
            "preload_time", \.preloadTime, .duration(),
            "How long before the end of an item the next one is preloaded"),
        Key("live_window", \.liveWindow, .duration(), "The length of the seekable window of live media"),
        .optional(
            "supported_commands", \.supportedCommands, .list(of: .word),
            "The commands that the app takes, as `supportedMediaCommands` offers them; without it what the player can do now",
            example: "[pause, seek]"),
        Key(
            "enforce_supported_commands", \.refusesOthers, .boolean,
            "Whether a request for a command that is not listed is refused as NOT_SUPPORTED; with `false` it is only not offered"
        ),
        Key(
            "playback_rate", \.playbackRate, .number(0.5...2), "The speed of media whose LOAD names none",
            example: "1.25"),
        .optional(
            "text_language", \.textLanguage, .text(allowed: "A-Za-z0-9-", length: 1...35),
            "The language of the text track that is shown when a LOAD chooses no tracks (RFC 5646); without it none is",
            example: "de"),
        Key(
            "play_watched_breaks", \.playsWatchedBreaks, .boolean, "Whether breaks play that a LOAD calls watched"),
        Key(
            "failures", \.failures, .list(of: .object), "Media that fail, for testing senders; the first match decides",
            example: "[{match: \"*broken*\"}]"),
    ]

    /// Makes options with the defaults of `gateway.yaml`.
    public init() {}
}

/// `virtual_devices[].apps.ID.options.failures[]`: media that the simulated player refuses or gives up.
public struct SimulatedFailure: ConfigObject {
    /// At which point the media fails.
    public enum Stage: String, Sendable, CaseIterable {
        /// The LOAD fails.
        case load
        /// Playback starts and then stops with an error.
        case playback
    }

    /// Which content ids fail.
    public var match: Glob
    /// The reason in the answer, for example `INVALID_REQUEST`; nil leaves it out.
    public var reason: String?
    /// The detailed error code, 100 to 999.
    public var detailedErrorCode = 104
    /// When it fails.
    public var stage = Stage.load
    /// How long after the load, or after playback began, it fails.
    public var after = Duration.zero

    /// The keys of `virtual_devices[].apps.ID.options.failures[]`.
    public static let keys: [Key] = [
        .required("match", \.match, .glob, "Which content ids fail", example: "\"*broken*\""),
        .optional(
            "reason", \.reason, .text(allowed: "A-Z0-9_", length: 1...64), "The reason in the answer",
            example: "INVALID_REQUEST"),
        Key(
            "detailed_error_code", \.detailedErrorCode, .integer(100...999), "The detailed error code in the answer"),
        Key("when", \.stage, .word, "Whether the load fails, or playback later on"),
        Key("after", \.after, .duration(), "How long after the load, or after playback began, it fails"),
    ]

    /// Makes a failure; what is not changed has the default of `gateway.yaml`.
    public init(match: Glob, _ change: (inout Self) -> Void = { _ in }) {
        self.match = match
        change(&self)
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init(match: Glob("")) }
}
