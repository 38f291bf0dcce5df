public import CastTransport
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix

/// Accepts HTTP connections at one place: each passes the ``Admission``, then TLS if there is any, and is held to
/// ``HTTPLimits``.
public final class HTTPListener: Sendable {
    /// Where it listens.
    public enum Place: Sendable {
        /// A host and a port; `sharesAddress` as for ``CastListener``.
        case address(host: String, port: Int, sharesAddress: Bool = false)
        /// A socket that listens already; closed with the listener.
        case socket(descriptor: CInt)
    }

    /// What connections go by; asked for each.
    public struct Rules: Sendable {
        /// What one connection may use.
        public var limits: @Sendable () -> HTTPLimits
        /// Why an address may not connect at all; nil when it may. Asked on the connection's event loop when it is accepted, and for
        /// each of its requests, since a connection that is kept can outlast the right to it.
        public var obstacle: @Sendable (_ address: String) -> String?
        /// What HTTPS serves; nil for plain HTTP. A closure may say nil too, for a listener that changes between the two.
        public var certificate: (@Sendable () -> TLSServerContext?)?
        /// Learns who was turned away, and why.
        public var refused: @Sendable (_ address: String, _ reason: String) -> Void
        /// Learns what becomes of accepting.
        public var accepting: @Sendable (_ outcome: AcceptOutcome) -> Void
        /// Whether callers have to say who they are: then a connection can be evicted until ``CallerKnown`` is told it, rather than
        /// until a request is complete.
        public var awaitsCaller: Bool

        /// Makes rules; without any, every address may connect, and nothing is told.
        public init(
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
    private let stopped: AsyncStream<Never>
    private let stopper: AsyncStream<Never>.Continuation

    /// Begins to listen; connections are answered while ``run()`` runs, which it must be called for.
    /// - Parameters:
    ///   - kind: what the listener is for.
    ///   - reserve: a descriptor for when the process has none left; nil for a listener that has to wait then.
    ///   - upgrades: decides about connections whose first request asks for a WebSocket; nil where there are none.
    ///   - responder: answers a request.
    /// - Throws: what keeps the address from being bound.
    public init(
        at place: Place, kind: ListenerKind, admission: Admission, rules: Rules = Rules(),
        reserve: DescriptorReserve? = nil, on group: any EventLoopGroup, logger: Logger,
        upgrades: UpgradeDecider? = nil, responder: @escaping HTTPChannelHandler.Responder
    ) async throws {
        let open = OpenChannels()
        self.http = HTTP1Channel(responder: responder)
        self.open = open
        self.logger = logger
        (self.stopped, self.stopper) = AsyncStream.makeStream(of: Never.self)
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

    /// The listening socket.
    public var channel: any Channel { self.server.channel }

    /// Where it listens; nil for a socket of the file system.
    public var port: Int? { self.server.channel.localAddress?.port }

    /// Answers until ``stop()`` or ``quiesce(within:)``, or until the task is cancelled.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.accept() }
            group.addTask { for await _ in self.stopped {} }
            await group.next()
            group.cancelAll()
        }
    }

    /// Gives the address up, and closes every connection.
    public func stop() async {
        // It may be closed already.
        try? await self.server.channel.close()
        self.stopper.finish()
    }

    /// Gives the address up, lets those that are being answered hear the end of it, and then hangs up.
    /// - Parameter time: how long they have.
    public func quiesce(within time: TimeAmount) {
        self.server.channel.close(promise: nil)
        for channel in self.open.all {
            channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }
        // The listener itself, and what its responder holds, need not live as long as that.
        self.server.channel.eventLoop.scheduleTask(in: time) { [stopper] in stopper.finish() }
    }

    /// Gives the address up without ever having answered.
    public func discard() async {
        self.stopper.finish()
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
