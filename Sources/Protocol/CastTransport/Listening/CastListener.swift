import Glibc
package import NIOCore
import NIOPosix

/// Accepts senders on one address, on one event loop.
///
/// How it works: a connection passes four steps before its owner exists. The listening channel itself bounds how many are
/// accepted in a second and pauses when the process has no descriptors left (``AcceptHandlers``). `admit` then counts the
/// address and may turn it away before TLS costs anything. `makeDelegate` makes the owner, on the listener's event loop, and
/// the pipeline adds TLS with the certificate of this moment, so a renewed certificate needs no new listener. Until TLS stands
/// the connection may be evicted in favour of newer ones; what `admit` returned is told when TLS stands and when the channel
/// is gone.
package struct CastListener: Sendable {
    private let pipeline: @Sendable () -> CastPipeline
    private let eventLoop: any EventLoop
    private let certificate: @Sendable () -> TLSServerContext
    private let admit: Admit
    private let acceptsPerSecond: @Sendable () -> Int?
    private let accepting: @Sendable (_ outcome: AcceptOutcome) -> Void

    /// Decides on an address. `evict` ends the connection, which has to give way; it may be called from anywhere, once.
    package typealias Admit =
        @Sendable (_ address: String, _ evict: @escaping @Sendable () -> Void) throws -> ConnectionAdmission

    /// Describes a listener.
    /// - Parameters:
    ///   - pipeline: what a new channel is made of; asked for each.
    ///   - eventLoop: where the listening socket and every accepted channel live.
    ///   - certificate: what a new channel serves; asked for each, so that it may change while older channels stay.
    ///   - admit: throws to turn an address away before TLS costs anything; what it gives is told when TLS stands and
    ///     when the channel is gone.
    ///   - acceptsPerSecond: connections that are looked at in a second, be they admitted or not; nil for no limit. Asked
    ///     again and again, so that it may change.
    ///   - accepting: called for every connection that comes in, before it is admitted, and for every failure to accept.
    package init(
        pipeline: @autoclosure @escaping @Sendable () -> CastPipeline, eventLoop: any EventLoop,
        certificate: @escaping @Sendable () -> TLSServerContext, admit: @escaping Admit,
        acceptsPerSecond: @autoclosure @escaping @Sendable () -> Int? = nil,
        accepting: @escaping @Sendable (_ outcome: AcceptOutcome) -> Void = { _ in }
    ) {
        self.pipeline = pipeline
        self.eventLoop = eventLoop
        self.certificate = certificate
        self.admit = admit
        self.acceptsPerSecond = acceptsPerSecond
        self.accepting = accepting
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
    package func bind(
        host: String, port: Int, isAccepting: Bool = true, sharesAddress: Bool = false,
        makeDelegate:
            @escaping @Sendable (_ address: String, _ admission: ConnectionAdmission) ->
            any CastConnectionDelegate
    ) async throws -> any Channel {
        try await ServerBootstrap(group: self.eventLoop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: isAccepting)
            .serverChannelOption(.socketOption(SharedAddress.option), value: sharesAddress ? 1 : 0)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try AcceptHandlers.install(
                        in: channel, acceptsPerSecond: self.acceptsPerSecond, accepting: self.accepting)
                }
            }
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: PeerCost.senderSocketBuffer)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: SlowReaderHandler.highWaterMark / 2, high: SlowReaderHandler.highWaterMark)
            )
            .childChannelOption(.recvAllocator, value: CastPipeline.receiveAllocator)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let address = channel.remoteAddress?.host ?? "unknown"
                    let admission = try self.admit(address) {
                        channel.pipeline.fireErrorCaught(TransportError.handshakeEvicted)
                    }
                    channel.closeFuture.whenComplete { _ in admission.release() }
                    let certificate = self.certificate()
                    let delegate = makeDelegate(address, admission)
                    try self.pipeline().configure(
                        channel, tls: certificate.makeHandler(), servedLeaf: certificate.leaf, delegate: delegate,
                        admission: admission)
                }
            }
            .bind(host: host, port: port)
            .get()
    }
}

/// Lets a second listening socket of this user have an address that one has already (`SO_REUSEPORT`, socket(7)).
///
/// Both sockets must allow it. Only for the moment in which one listener takes over from another: a socket that goes on
/// allowing it would let another process take its address unnoticed.
package enum SharedAddress {
    /// The option, for sockets that are about to be bound.
    package static let option = NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT))

    /// Allows or forbids it on an open listening channel.
    package static func allow(_ isAllowed: Bool, on channel: any Channel) async throws {
        try await channel.setOption(.socketOption(self.option), value: isAllowed ? 1 : 0).get()
    }
}
