/// The interval of pings and the longest silence of a peer: the keys of every mapping `heartbeat`.
package struct HeartbeatSettings: Sendable, Hashable {
    /// The interval at which a silent peer is pinged.
    package var interval: Duration
    /// The time a peer may be silent before its connection is closed; longer than the interval.
    package var timeout: Duration

    /// Makes settings; what their defaults are depends on the peer.
    package init(interval: Duration, timeout: Duration) {
        self.interval = interval
        self.timeout = timeout
    }

    /// The keys of a mapping `heartbeat`.
    /// - Parameter peer: who is pinged, a noun: `device`.
    package static func keys(peer: String) -> [ConfigKey<HeartbeatSettings>] {
        let range = Duration.milliseconds(10) ... .seconds(3600)
        return [
            ConfigKey("interval", \.interval, .duration(range), "How often a silent \(peer) is pinged"),
            ConfigKey(
                "timeout", \.timeout, .duration(range),
                "How long a \(peer) may be silent before its connection is closed; longer than the interval"),
        ]
    }

    /// Adds a timeout that is not longer than the interval.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireDuration("timeout", exceeds: "interval", problems: &problems)
    }
}
