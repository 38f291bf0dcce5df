package import NIOCore
import NIOSSL

/// Everything between a socket and a ``CastConnection``, in order, in one place.
package struct CastPipeline: Sendable {
    /// Which end this is.
    package let role: Heartbeat.Role
    /// When to ping and when to give up.
    package let heartbeat: Heartbeat.Settings
    /// How long TLS may take.
    package let handshakeTimeout: TimeAmount
    /// How long a frame of a sender may take from its first byte to its last.
    package let frameTimeout: TimeAmount

    /// Shared by all channels that are made from this description.
    private let clocks: HeartbeatClocks
    /// Channels whose PINGs are due within the same share of the interval are pinged together.
    private static let ticksPerInterval: Int64 = 20

    /// A channel keeps memory for what it reads next; most of what is read is a PING. It grows with what comes.
    static let receiveAllocator = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)

    /// Where TLS is found in the pipeline.
    static let tlsHandlerName = "cast.tls"

    package init(
        role: Heartbeat.Role, heartbeat: Heartbeat.Settings, handshakeTimeout: TimeAmount,
        frameTimeout: TimeAmount = .seconds(10)
    ) {
        self.role = role
        self.heartbeat = heartbeat
        self.handshakeTimeout = handshakeTimeout
        self.frameTimeout = frameTimeout
        self.clocks = HeartbeatClocks(
            tick: .nanoseconds(heartbeat.interval.nanoseconds / Self.ticksPerInterval))
    }

    /// Adds the handlers that a Cast channel has.
    /// - Parameters:
    ///   - tls: the TLS handler, or nil for a channel without TLS, as tests use it.
    ///   - servedLeaf: the DER of the certificate that `tls` serves.
    ///   - admission: is told when TLS stands, and what waits unsent; nil for a channel that is not counted.
    /// - Throws: when the channel is closed already.
    @discardableResult
    package func configure(
        _ channel: any Channel, tls: (any ChannelHandler)? = nil, servedLeaf: [UInt8]? = nil,
        delegate: any CastConnectionDelegate, admission: ConnectionAdmission? = nil
    ) throws -> CastConnection {
        let pipeline = channel.pipeline.syncOperations
        let isSecured = tls != nil
        let budget = delegate.inboundBudget
        let socketBytes = isSecured && budget != nil ? SocketByteCounter() : nil
        if let socketBytes { try pipeline.addHandler(socketBytes) }
        if let tls {
            try pipeline.addHandler(tls, name: Self.tlsHandlerName)
            try pipeline.addHandler(
                HandshakeTimeoutHandler(timeout: self.handshakeTimeout) { admission?.secured() })
        }
        let connection = CastConnection(
            delegate: delegate, servedLeaf: servedLeaf, isSecured: isSecured,
            heartbeat: HeartbeatTimer(role: self.role, settings: self.heartbeat, clocks: self.clocks),
            setsLastFrameApart: self.role == .receiver)
        try pipeline.addHandler(SlowReaderHandler(admission: admission))
        if let budget {
            try pipeline.addHandler(
                InboundMeterHandler(budget: budget, socketBytes: socketBytes, frameTimeout: self.frameTimeout))
        }
        try pipeline.addHandler(connection)
        return connection
    }
}
