/// How often a peer is pinged, and how long it may be silent: the keys of every mapping `heartbeat`.
public struct HeartbeatSettings: Sendable, Hashable {
    /// How often a silent peer is pinged.
    public var interval: Duration
    /// How long a peer may be silent before its connection is closed; longer than the interval.
    public var timeout: Duration

    /// Makes settings; what their defaults are depends on the peer.
    public init(interval: Duration, timeout: Duration) {
        self.interval = interval
        self.timeout = timeout
    }

    /// The keys of a mapping `heartbeat`.
    /// - Parameter peer: who is pinged, a noun: `device`.
    public static func keys(peer: String) -> [ConfigKey<HeartbeatSettings>] {
        let range = Duration.milliseconds(10) ... .seconds(3600)
        return [
            ConfigKey("interval", \.interval, .duration(range), "How often a silent \(peer) is pinged"),
            ConfigKey(
                "timeout", \.timeout, .duration(range),
                "How long a \(peer) may be silent before its connection is closed; longer than the interval"),
        ]
    }

    /// Adds a timeout that is not longer than the interval.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireDuration("timeout", exceeds: "interval", problems: &problems)
    }
}
