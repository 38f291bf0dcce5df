public import NIOCore
import NIOPosix

/// Accepts senders on one address, on one event loop.
public struct CastListener: Sendable {
    private let pipeline: @Sendable () -> CastPipeline
    private let eventLoop: any EventLoop
    private let certificate: @Sendable () -> TLSServerContext
    private let admit: @Sendable (_ address: String) throws -> Void
    private let released: @Sendable (_ address: String) -> Void

    /// Describes a listener.
    /// - Parameters:
    ///   - pipeline: what a new channel is made of; asked for each.
    ///   - eventLoop: where the listening socket and every accepted channel live.
    ///   - certificate: what a new channel serves; asked for each, so that it may change while older channels stay.
    ///   - admit: throws to turn an address away before TLS costs anything.
    ///   - released: called once for every channel that was admitted, when it is gone.
    public init(
        pipeline: @autoclosure @escaping @Sendable () -> CastPipeline, eventLoop: any EventLoop,
        certificate: @escaping @Sendable () -> TLSServerContext,
        admit: @escaping @Sendable (_ address: String) throws -> Void,
        released: @escaping @Sendable (_ address: String) -> Void
    ) {
        self.pipeline = pipeline
        self.eventLoop = eventLoop
        self.certificate = certificate
        self.admit = admit
        self.released = released
    }

    /// Begins to listen.
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - isAccepting: false leaves connections waiting until the channel's option `autoRead` is set to true.
    ///   - sharesAddress: whether another listener of this process, whose socket allows it (`SO_REUSEPORT`), may still
    ///     hold the address.
    ///   - makeDelegate: makes the owner of an accepted channel, on the event loop; the owner is kept while the
    ///     channel lives.
    /// - Returns: the listening channel; closing it leaves accepted channels alone.
    /// - Throws: when the address cannot be bound.
    public func bind(
        host: String, port: Int, isAccepting: Bool = true, sharesAddress: Bool = false,
        makeDelegate: @escaping @Sendable () -> any CastConnectionDelegate
    ) async throws -> any Channel {
        try await ServerBootstrap(group: self.eventLoop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: isAccepting)
            .serverChannelOption(.socketOption(SharedAddress.option), value: sharesAddress ? 1 : 0)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: SlowReaderHandler.highWaterMark / 2, high: SlowReaderHandler.highWaterMark)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let address = channel.remoteAddress?.host ?? "unknown"
                    try self.admit(address)
                    channel.closeFuture.whenComplete { _ in self.released(address) }
                    let certificate = self.certificate()
                    let delegate = makeDelegate()
                    try self.pipeline().configure(
                        channel, tls: certificate.makeHandler(), servedLeaf: certificate.leaf, delegate: delegate)
                    // The connection holds its owner weakly; the channel holds it until it is closed.
                    let kept = NIOLoopBound(delegate, eventLoop: channel.eventLoop)
                    channel.closeFuture.whenComplete { _ in withExtendedLifetime(kept) {} }
                }
            }
            .bind(host: host, port: port)
            .get()
    }
}
