package import CastTransport
package import GatewayConfig

/// `connections.senders`: what a sender may use, and when it counts as gone.
package struct SenderLimits: ConfigSettings {
    /// The pings towards senders.
    package var heartbeat = HeartbeatSettings(interval: .seconds(5), timeout: .seconds(20))
    /// The time a TLS handshake may take.
    package var handshakeTimeout = Duration.seconds(10)
    /// The time a message may take from its first byte to its last.
    package var frameTimeout = Duration.seconds(10)
    /// The limits of connected senders, for the whole gateway and from one address, and of new ones.
    package var connections = ConnectionLimits(total: 1024, perAddress: 64, newPerSecond: 50)
    /// The number of messages a second one address may send to one virtual device; a quarter may come at once. Nil for
    /// no limit.
    package var messagesPerSecond: Int? = 2000

    package static let keys: [Key] =
        [
            .section(
                "heartbeat", "Pings towards senders",
                HeartbeatSettings.keys(peer: "sender").embedded(in: \Self.heartbeat)),
            Key("handshake_timeout", \.handshakeTimeout, .connectionTime, "How long a TLS handshake may take"),
            Key(
                "frame_timeout", \.frameTimeout, .connectionTime,
                "How long a message may take from its first byte to its last"),
        ]
        + ConnectionLimits.keys(
            total: "How many senders may be connected to the whole gateway",
            perAddress: "How many senders may be connected from one address (IPv6: from one /64)"
        ).embedded(in: \Self.connections)
        + [
            Key(
                "messages_per_second", \.messagesPerSecond, .integer(1...10_000_000, orNil: "unlimited"),
                "How many messages a second one address may send to one virtual device; a quarter may come at once. A "
                    + "sender that sends more is read more slowly",
                reload: .hot)
        ]

    package init() {}

    /// Adds a heartbeat whose times contradict each other.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        HeartbeatSettings.check(section.section("heartbeat"), problems: &problems)
    }
}

/// `connections.setup`: what clients of the set-up service may use.
package struct SetupLimits: ConfigSettings {
    package var handshakeTimeout = Duration.seconds(10)
    /// The time a request may take from its first byte to its last.
    package var requestTimeout = Duration.seconds(10)
    /// The time a connection may be without a request.
    package var idleTimeout = Duration.seconds(10)
    /// The limits of connections over all virtual devices and from one address, and of new ones.
    package var connections = ConnectionLimits(total: 128, perAddress: 16, newPerSecond: 50)

    package static let keys: [Key] =
        [
            Key("handshake_timeout", \.handshakeTimeout, .connectionTime, "How long a TLS handshake may take"),
            Key(
                "request_timeout", \.requestTimeout, .connectionTime,
                "How long a request may take from its first byte to its last, and how long its sender may read nothing of the "
                    + "answer"),
            Key(
                "idle_timeout", \.idleTimeout, .duration(.milliseconds(10) ... .seconds(3600)),
                "How long a connection may be without a request"),
        ]
        + ConnectionLimits.keys(
            total:
                "How many connections there may be to the set-up services of the whole gateway; fewer when descriptors are short",
            perAddress: "How many connections there may be from one address (IPv6: from one /64)"
        ).embedded(in: \Self.connections)

    package init() {}
}

extension ConfigType where Value == Duration {
    /// The time a step of a connection may take.
    fileprivate static var connectionTime: ConfigType { .duration(.milliseconds(10) ... .seconds(300)) }
}

extension ConnectionLimits {
    /// The keys of these limits, in a mapping of the connections of one kind.
    /// - Parameters:
    ///   - total: what `max_total` means.
    ///   - perAddress: what `max_per_address` means.
    fileprivate static func keys(total: String, perAddress: String) -> [ConfigKey<ConnectionLimits>] {
        [
            ConfigKey("max_total", \.total, .integer(1...65_536), total, reload: .hot),
            ConfigKey("max_per_address", \.perAddress, .integer(1...65_536), perAddress, reload: .hot),
            ConfigKey(
                "new_per_second", \.newPerSecond, .integer(1...100_000, orNil: "unlimited"),
                "How many new connections a second one address may make; twice as many may come at once",
                reload: .hot),
        ]
    }
}
