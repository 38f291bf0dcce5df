public import NIOCore
import NIOSSL

/// Everything between a socket and a ``CastConnection``, in order, in one place.
public struct CastPipeline: Sendable {
    /// Which end this is.
    public let role: Heartbeat.Role
    /// When to ping and when to give up.
    public let heartbeat: Heartbeat.Settings
    /// How long TLS may take.
    public let handshakeTimeout: TimeAmount

    /// Where TLS is found in the pipeline.
    static let tlsHandlerName = "cast.tls"

    /// Makes a pipeline's description.
    public init(role: Heartbeat.Role, heartbeat: Heartbeat.Settings, handshakeTimeout: TimeAmount) {
        self.role = role
        self.heartbeat = heartbeat
        self.handshakeTimeout = handshakeTimeout
    }

    /// Adds the handlers that a Cast channel has.
    /// - Parameters:
    ///   - tls: the TLS handler, or nil for a channel without TLS, as tests use it.
    ///   - servedLeaf: the DER of the certificate that `tls` serves.
    /// - Throws: when the channel is closed already.
    @discardableResult
    public func configure(
        _ channel: any Channel, tls: (any ChannelHandler)? = nil, servedLeaf: [UInt8]? = nil,
        delegate: any CastConnectionDelegate
    ) throws -> CastConnection {
        let pipeline = channel.pipeline.syncOperations
        let isSecured = tls != nil
        if let tls {
            try pipeline.addHandler(tls, name: Self.tlsHandlerName)
            try pipeline.addHandler(HandshakeTimeoutHandler(timeout: self.handshakeTimeout))
        }
        let connection = CastConnection(
            delegate: delegate, servedLeaf: servedLeaf, isSecured: isSecured,
            heartbeat: HeartbeatTimer(role: self.role, settings: self.heartbeat),
            setsLastFrameApart: self.role == .receiver)
        try pipeline.addHandlers([SlowReaderHandler(), connection])
        return connection
    }
}
