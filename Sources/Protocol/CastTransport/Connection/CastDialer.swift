package import NIOCore
import NIOPosix
import NIOSSL

/// Opens channels to Cast devices.
package struct CastDialer: Sendable {
    /// TCP_RTO_MAX_MS: what the network has lost is sent again every second at least. At the usual pace, which halves each
    /// time, a channel would stay deaf for as long again as the network was gone.
    private static let longestRetransmissionPause = ChannelOptions.Types.SocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: 44))

    private let pipeline: CastPipeline
    private let timeout: TimeAmount
    private let context: NIOSSLContext

    /// Prepares to dial.
    ///
    /// The device's certificate is accepted as it is: devices sign their own, and what proves them is device
    /// authentication (protocol notes, 2.1).
    /// - Throws: when TLS cannot be set up at all.
    package init(pipeline: CastPipeline, timeout: TimeAmount) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .none
        // The device chooses among the library's suites, ECDHE first. Key exchange by plain RSA stays as the last resort
        // of firmware that has nothing else: it cannot be forced on a device that has better.
        self.context = try NIOSSLContext(configuration: configuration)
        self.pipeline = pipeline
        self.timeout = timeout
    }

    /// Dials a device. Call it on `eventLoop`, where the delegate lives.
    /// - Parameters:
    ///   - host: an address or a name.
    ///   - patience: how long TCP may take, when that is shorter than the timeout.
    ///   - eventLoop: where the channel lives.
    ///   - delegate: its owner, who must be kept; learns by ``CastConnectionDelegate/connectionReady(_:)`` when TLS
    ///     stands.
    /// - Returns: the connection, once TCP stands; fails when it does not within the timeout.
    package func dial(
        host: String, port: Int, within patience: TimeAmount? = nil, on eventLoop: any EventLoop,
        delegate: any CastConnectionDelegate
    ) -> EventLoopFuture<CastConnection> {
        let owner = NIOLoopBound(delegate, eventLoop: eventLoop)
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(min(patience ?? self.timeout, self.timeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: SlowReaderHandler.highWaterMark / 2, high: SlowReaderHandler.highWaterMark)
            )
            .channelOption(.recvAllocator, value: CastPipeline.receiveAllocator)
            .channelInitializer { channel in
                // Kernels before 6.15 do not know it, and are left at their pace.
                channel.setOption(Self.longestRetransmissionPause, value: 1000).whenFailure { _ in }
                return channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: self.context, serverHostname: nil)
                    try self.pipeline.configure(channel, tls: tls, delegate: owner.value)
                }
            }
            .connect(host: host, port: port)
            .flatMapThrowing { channel in
                try channel.pipeline.syncOperations.handler(type: CastConnection.self)
            }
    }
}
