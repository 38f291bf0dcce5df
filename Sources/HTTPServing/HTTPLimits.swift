public import NIOCore

/// What one HTTP connection may use.
public struct HTTPLimits: Sendable, Hashable {
    /// Most of what the headers of a request may have, in bytes.
    static let maximumHeaderBytes = 16 * 1024
    /// Most headers of a request.
    static let maximumHeaderCount = 100

    /// How long a TLS handshake may take.
    public var handshakeTimeout: TimeAmount
    /// How long a request may take from its first byte to its last, and how long the peer may read nothing of an answer
    /// that it is sent.
    public var requestTimeout: TimeAmount
    /// How long a connection may be without a request.
    public var idleTimeout: TimeAmount
    /// Most of what the body of a request may have, in bytes.
    public var maximumBodyBytes: Int

    /// Makes limits.
    public init(
        handshakeTimeout: TimeAmount = .seconds(10), requestTimeout: TimeAmount = .seconds(10),
        idleTimeout: TimeAmount = .seconds(10), maximumBodyBytes: Int = 16 * 1024
    ) {
        self.handshakeTimeout = handshakeTimeout
        self.requestTimeout = requestTimeout
        self.idleTimeout = idleTimeout
        self.maximumBodyBytes = maximumBodyBytes
    }
}
