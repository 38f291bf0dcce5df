/// `connections.setup`: what those who ask the set-up service may use.
public struct SetupLimits: Sendable, Equatable {
    /// How many connections there may be over all virtual devices, 1 to 65536. Default 128.
    public var maxTotal: Int
    /// How many connections there may be from one address, 1 to 65536. Default 16.
    public var maxPerAddress: Int
    /// How many new connections a second one address may make; twice as many may come at once. Nil for no limit.
    /// Default 50.
    public var newPerSecond: Int?
    /// How long a TLS handshake may take. Default 10 s.
    public var handshakeTimeout: Duration
    /// How long a request may take from its first byte to its last. Default 10 s.
    public var requestTimeout: Duration
    /// How long a connection may be without a request. Default 10 s.
    public var idleTimeout: Duration

    /// Makes limits from their parts; each has the default of `gateway.yaml`.
    public init(
        maxTotal: Int = 128, maxPerAddress: Int = 16, newPerSecond: Int? = 50,
        handshakeTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(10),
        idleTimeout: Duration = .seconds(10)
    ) {
        self.maxTotal = maxTotal
        self.maxPerAddress = maxPerAddress
        self.newPerSecond = newPerSecond
        self.handshakeTimeout = handshakeTimeout
        self.requestTimeout = requestTimeout
        self.idleTimeout = idleTimeout
    }
}
