extension ReloadPlanTests {
    /// What an app of a virtual device takes, prefers and says of itself.
    static let appSamples: [Sample] = [
        app("idle_timeout", "idle_timeout: 1m"), app("version_code", "version_code: 3"),
        option("supported_commands", "supported_commands: [pause]"),
        option("enforce_supported_commands", "enforce_supported_commands: false"),
        option("playback_rate", "playback_rate: 1.25"), option("text_language", "text_language: de"),
        option("play_watched_breaks", "play_watched_breaks: true"),
    ]
}
