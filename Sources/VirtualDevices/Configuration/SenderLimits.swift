/// `connections.senders`: what a sender may use, and when it counts as gone.
public struct SenderLimits: Sendable, Equatable {
    /// How often a silent sender is pinged. Default 5 s.
    public var heartbeatInterval: Duration
    /// How long a sender may be silent before its connection is closed; longer than the interval. Default 20 s.
    public var heartbeatTimeout: Duration
    /// How long a TLS handshake may take. Default 10 s.
    public var handshakeTimeout: Duration
    /// How many senders may be connected to the whole gateway, 1 to 65536. Default 1024.
    public var maxTotal: Int
    /// How many senders may be connected from one address, 1 to 65536. Default 64.
    public var maxPerAddress: Int

    /// Makes limits from their parts; each has the default of `gateway.yaml`.
    public init(
        heartbeatInterval: Duration = .seconds(5),
        heartbeatTimeout: Duration = .seconds(20),
        handshakeTimeout: Duration = .seconds(10),
        maxTotal: Int = 1024,
        maxPerAddress: Int = 64
    ) {
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
        self.handshakeTimeout = handshakeTimeout
        self.maxTotal = maxTotal
        self.maxPerAddress = maxPerAddress
    }
}
