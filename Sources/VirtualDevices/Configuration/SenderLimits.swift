/// `connections.senders`: what a sender may use, and when it counts as gone.
public struct SenderLimits: Sendable, Equatable {
    /// How often a silent sender is pinged. Default 5 s.
    public var heartbeatInterval: Duration
    /// How long a sender may be silent before its connection is closed; longer than the interval. Default 20 s.
    public var heartbeatTimeout: Duration
    /// How long a TLS handshake may take. Default 10 s.
    public var handshakeTimeout: Duration
    /// How long a message may take from its first byte to its last. Default 10 s.
    public var frameTimeout: Duration
    /// How many senders may be connected to the whole gateway, 1 to 65536. Default 1024.
    public var maxTotal: Int
    /// How many senders may be connected from one address, 1 to 65536. Default 64.
    public var maxPerAddress: Int
    /// How many new connections a second one address may make; twice as many may come at once. Nil for no limit.
    /// Default 50.
    public var newPerSecond: Int?
    /// How many messages a second one address may send to one virtual device; a quarter may come at once. Nil for no
    /// limit. Default 2000.
    public var messagesPerSecond: Int?

    /// Makes limits from their parts; each has the default of `gateway.yaml`.
    public init(
        heartbeatInterval: Duration = .seconds(5),
        heartbeatTimeout: Duration = .seconds(20),
        handshakeTimeout: Duration = .seconds(10),
        frameTimeout: Duration = .seconds(10),
        maxTotal: Int = 1024,
        maxPerAddress: Int = 64,
        newPerSecond: Int? = 50,
        messagesPerSecond: Int? = 2000
    ) {
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
        self.handshakeTimeout = handshakeTimeout
        self.frameTimeout = frameTimeout
        self.maxTotal = maxTotal
        self.maxPerAddress = maxPerAddress
        self.newPerSecond = newPerSecond
        self.messagesPerSecond = messagesPerSecond
    }
}
