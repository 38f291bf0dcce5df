package import CastTransport
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOPosix
import SystemPrimitives

/// Accepts HTTP connections at one place: each passes the ``Admission``, then TLS if there is any, and is held to
/// ``HTTPLimits``.
package final class HTTPListener: Sendable {
    package enum Place: Sendable {
        /// A host and a port; `sharesAddress` as for ``CastListener``.
        case address(host: String, port: Int, sharesAddress: Bool = false)
        /// A socket that listens already; closed with the listener.
        case socket(descriptor: CInt)
    }

    /// The rules of connections; asked for each.
    package struct Rules: Sendable {
        package var limits: @Sendable () -> HTTPLimits
        /// The reason an address may not connect at all; nil when it may. Asked on the connection's event loop when it is accepted,
        /// and for each of its requests, since a connection that is kept can outlast the right to it.
        package var obstacle: @Sendable (_ address: String) -> String?
        /// The certificate of HTTPS; nil for plain HTTP. A closure may say nil too, for a listener that changes between
        /// the two.
        package var certificate: (@Sendable () -> TLSServerContext?)?
        /// Learns who was turned away, and why.
        package var refused: @Sendable (_ address: String, _ reason: String) -> Void
        /// Learns what becomes of accepting.
        package var accepting: @Sendable (_ outcome: AcceptOutcome) -> Void
        /// True if callers have to say who they are: then a connection can be evicted until ``CallerKnown`` is told it, rather than
        /// until a request is complete.
        package var awaitsCaller: Bool

        /// Makes rules; without any, every address may connect, and nothing is told.
        package init(
            limits: @escaping @Sendable () -> HTTPLimits = { HTTPLimits() },
            obstacle: @escaping @Sendable (_ address: String) -> String? = { _ in nil },
            certificate: (@Sendable () -> TLSServerContext?)? = nil,
            refused: @escaping @Sendable (_ address: String, _ reason: String) -> Void = { _, _ in },
            accepting: @escaping @Sendable (_ outcome: AcceptOutcome) -> Void = { _ in }, awaitsCaller: Bool = false
        ) {
            self.awaitsCaller = awaitsCaller
            self.limits = limits
            self.obstacle = obstacle
            self.certificate = certificate
            self.refused = refused
            self.accepting = accepting
        }
    }

    private let server: NIOAsyncChannel<EventLoopFuture<HTTP1Channel.Value?>, Never>
    private let http: HTTP1Channel
    private let logger: Logger
    private let open: OpenChannels
    private let stopped = Latch()

    /// Begins to listen; connections are answered while ``run()`` runs, which it must be called for.
    /// - Parameters:
    ///   - reserve: a descriptor for when the process has none left; nil for a listener that has to wait then.
    ///   - upgrades: decides about connections whose first request asks for a WebSocket; nil where there are none.
    /// - Throws: what keeps the address from being bound.
    package init(
        at place: Place, kind: ListenerKind, admission: Admission, rules: Rules = Rules(),
        reserve: DescriptorReserve? = nil, on group: any EventLoopGroup, logger: Logger,
        upgrades: UpgradeDecider? = nil, responder: @escaping HTTPChannelHandler.Responder
    ) async throws {
        let open = OpenChannels()
        self.http = HTTP1Channel(responder: responder)
        self.open = open
        self.logger = logger
        var sharesAddress = false
        if case .address(_, _, let isShared) = place { sharesAddress = isShared }
        var bootstrap = ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try AcceptHandlers.install(
                        in: channel, acceptsPerSecond: { admission.acceptsPerSecond(kind) }, reserve: reserve,
                        accepting: rules.accepting)
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_sndbuf), value: PeerCost.httpSocketBuffer)
            .childChannelOption(.socketOption(.so_rcvbuf), value: PeerCost.httpSocketBuffer)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 16_384))
        let initialize: @Sendable (any Channel) -> EventLoopFuture<EventLoopFuture<HTTP1Channel.Value?>> = { channel in
            channel.eventLoop.makeCompletedFuture {
                do {
                    return try Self.setUp(channel, kind, admission, rules, upgrades, open, logger)
                } catch {
                    // What is not handed on is closed here, or never.
                    channel.close(promise: nil)
                    throw error
                }
            }
        }
        switch place {
        case .address(let host, let port, _):
            bootstrap =
                bootstrap
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.socketOption(SharedAddress.option), value: sharesAddress ? 1 : 0)
            self.server = try await bootstrap.bind(host: host, port: port, childChannelInitializer: initialize)
        case .socket(let descriptor):
            self.server = try await bootstrap.bind(descriptor, childChannelInitializer: initialize)
        }
    }

    /// Lets a connection in and makes its pipeline.
    /// - Returns: the connection once it is known to be one of HTTP; nil when it has become a WebSocket or has ended before.
    /// - Throws: when it is turned away.
    private static func setUp(
        _ channel: any Channel, _ kind: ListenerKind, _ admission: Admission, _ rules: Rules,
        _ upgrades: UpgradeDecider?, _ open: OpenChannels, _ logger: Logger
    ) throws -> EventLoopFuture<HTTP1Channel.Value?> {
        let address = channel.remoteAddress?.host ?? "local"
        let limits = rules.limits()
        let certificate = rules.certificate?()
        let admitted: ConnectionAdmission
        do {
            admitted = try admission.admit(
                address, to: kind, bytes: PeerCost.http(isSecure: certificate != nil),
                obstacle: rules.obstacle(address), at: channel.eventLoop.now
            ) { channel.hangUp() }
        } catch {
            rules.refused(address, Admission.reason(of: error))
            throw error
        }
        channel.closeFuture.whenComplete { _ in admitted.release() }
        open.add(channel)
        try certificate?.install(in: channel, timeout: limits.handshakeTimeout)
        let stack = HTTPStack(
            channel: channel,
            watch: HTTPWatch(
                limits: limits, admission: admitted, awaitsCaller: rules.awaitsCaller, channel: channel,
                isAllowed: {
                    guard let reason = rules.obstacle(address) else { return true }
                    rules.refused(address, reason)
                    return false
                }),
            logger: logger)
        try stack.installCodec()
        guard let upgrades else {
            let value = try stack.installHTTP()
            open.hold(value)
            return channel.eventLoop.makeSucceededFuture(value)
        }
        let decided = channel.eventLoop.makePromise(of: HTTP1Channel.Value?.self)
        try channel.pipeline.syncOperations.addHandler(
            FirstRequestHandler(stack: stack, address: address, decide: upgrades, open: open, decided: decided))
        return decided.futureResult
    }

    package var channel: any Channel { self.server.channel }

    /// The port; nil for a socket of the file system.
    package var port: Int? { self.server.channel.localAddress?.port }

    /// Answers until ``stop()`` or ``quiesce(within:)``, or until the task is cancelled.
    package func run() async {
        await race {
            await self.accept()
        } against: {
            await self.stopped.waitUnlessCancelled()
        }
    }

    /// Gives the address up, and closes every connection.
    package func stop() async {
        // It may be closed already.
        try? await self.server.channel.close()
        self.stopped.open()
    }

    /// Gives the address up, lets those that are being answered hear the end of it, and then hangs up.
    package func quiesce(within time: TimeAmount) {
        self.server.channel.close(promise: nil)
        for channel in self.open.all {
            channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }
        // The listener itself, and what its responder holds, need not live as long as that.
        self.server.channel.eventLoop.scheduleTask(in: time) { [stopped] in stopped.open() }
    }

    /// Gives the address up without ever having answered.
    package func discard() async {
        self.stopped.open()
        try? await self.server.executeThenClose { _ in }
        self.open.end()
        self.open.closeWebSockets()
    }

    private func accept() async {
        await withDiscardingTaskGroup { group in
            do {
                defer { self.open.end() }
                try await self.server.executeThenClose { connections in
                    for try await connection in connections {
                        group.addTask {
                            guard let http = try? await connection.get() else { return }
                            self.open.take(http.channel)
                            await self.http.handle(value: http, logger: self.logger)
                        }
                    }
                }
            } catch is CancellationError {
                // The connections end below.
            } catch {
                self.logger.error("An HTTP listener stopped", metadata: ["reason": "\(error)"])
            }
            // WebSockets close by their own handshake, for as long as the listener gives them.
            await self.open.webSocketsClosed()
        }
    }
}

/// The limits of one HTTP connection.
package struct HTTPLimits: Sendable, Hashable {
    /// Most of what the headers of a request may have, in bytes.
    static let maximumHeaderBytes = 16 * 1024
    static let maximumHeaderCount = 100

    /// The time a TLS handshake may take.
    package var handshakeTimeout: TimeAmount
    /// The time a request may take from its first byte to its last, and how long the peer may read nothing of an answer
    /// that it is sent.
    package var requestTimeout: TimeAmount
    /// The time a connection may be without a request.
    package var idleTimeout: TimeAmount
    /// Most of what the body of a request may have, in bytes.
    package var maximumBodyBytes: Int

    package init(
        handshakeTimeout: TimeAmount = .seconds(10), requestTimeout: TimeAmount = .seconds(10),
        idleTimeout: TimeAmount = .seconds(10), maximumBodyBytes: Int = 16 * 1024
    ) {
        self.handshakeTimeout = handshakeTimeout
        self.requestTimeout = requestTimeout
        self.idleTimeout = idleTimeout
        self.maximumBodyBytes = maximumBodyBytes
    }
}
