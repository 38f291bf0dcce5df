package import GatewayConfig

/// `virtual_devices[].apps.ID.options`: the behavior of the simulated player.
package struct SimulationOptions: ConfigSettings {
    /// From LOAD to the first media status.
    package var loadDelay = Duration.milliseconds(200)
    /// The time the player reports BUFFERING before it plays.
    package var buffering = Duration.milliseconds(100)
    /// From LAUNCH to the running app. Not zero: pychromecast breaks its own channel when an app appears while it still
    /// writes the LAUNCH.
    package var launchDelay = Duration.milliseconds(100)
    /// The length of media whose LOAD names none.
    package var defaultDuration = Duration.seconds(600)
    /// The time before the end of an item at which the next one is preloaded.
    package var preloadTime = Duration.seconds(20)
    /// The length of the seekable window of live media.
    package var liveWindow = Duration.seconds(30)
    /// The commands that the app takes; nil for all that the player has.
    package var supportedCommands: [MediaCommandName]?
    /// Refuses requests for other commands; otherwise they are only not offered.
    package var refusesOthers = true
    /// The speed of media whose LOAD names none, 0.5 to 2.
    package var playbackRate = 1.0
    /// The language of the text track that is shown when a LOAD chooses no tracks; nil shows none.
    package var textLanguage: String?
    /// Plays breaks that a LOAD calls watched.
    package var playsWatchedBreaks = false
    /// Media that fail, the first match decides.
    package var failures: [SimulatedFailure] = []

    package static let keys: [Key] = [
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
    package init() {}
}

/// `virtual_devices[].apps.ID.options.failures[]`: media that the simulated player refuses or gives up.
package struct SimulatedFailure: ConfigObject {
    /// The point at which the media fails.
    package enum Stage: String, Sendable, CaseIterable {
        case load
        /// Playback starts and then stops with an error.
        case playback
    }

    /// The content ids that fail.
    package var match: Glob
    /// The reason in the answer, for example `INVALID_REQUEST`; nil leaves it out.
    package var reason: String?
    /// The detailed error code, 100 to 999.
    package var detailedErrorCode = 104
    /// The point at which they fail.
    package var stage = Stage.load
    /// The time from the load, or from the beginning of playback, until it fails.
    package var after = Duration.zero

    package static let keys: [Key] = [
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
    package init(match: Glob, _ change: (inout Self) -> Void = { _ in }) {
        self.match = match
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(match: Glob("")) }
}
