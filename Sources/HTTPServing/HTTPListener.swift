public import CastTransport
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

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
        /// Whether an address may connect at all.
        public var isAllowed: @Sendable (_ address: String) -> Bool
        /// What HTTPS serves; nil for plain HTTP. A closure may say nil too, for a listener that changes between the two.
        public var certificate: (@Sendable () -> TLSServerContext?)?
        /// Learns who was turned away, and why.
        public var refused: @Sendable (_ address: String, _ reason: String) -> Void
        /// Learns what becomes of accepting.
        public var accepting: @Sendable (_ outcome: AcceptOutcome) -> Void

        /// Makes rules; without any, every address may connect, and nothing is told.
        public init(
            limits: @escaping @Sendable () -> HTTPLimits = { HTTPLimits() },
            isAllowed: @escaping @Sendable (_ address: String) -> Bool = { _ in true },
            certificate: (@Sendable () -> TLSServerContext?)? = nil,
            refused: @escaping @Sendable (_ address: String, _ reason: String) -> Void = { _, _ in },
            accepting: @escaping @Sendable (_ outcome: AcceptOutcome) -> Void = { _ in }
        ) {
            self.limits = limits
            self.isAllowed = isAllowed
            self.certificate = certificate
            self.refused = refused
            self.accepting = accepting
        }
    }

    private let server: NIOAsyncChannel<HTTP1Channel.Value, Never>
    private let http: HTTP1Channel
    private let logger: Logger
    private let open: OpenChannels
    private let stopped: AsyncStream<Never>
    private let stopper: AsyncStream<Never>.Continuation

    /// Begins to listen; connections are answered while ``run()`` runs, which it must be called for.
    /// - Parameters:
    ///   - kind: what the listener is for.
    ///   - reserve: a descriptor for when the process has none left; nil for a listener that has to wait then.
    ///   - responder: answers a request.
    /// - Throws: what keeps the address from being bound.
    public init(
        at place: Place, kind: ListenerKind, admission: Admission, rules: Rules = Rules(),
        reserve: DescriptorReserve? = nil, on group: any EventLoopGroup, logger: Logger,
        responder: @escaping HTTPChannelHandler.Responder
    ) async throws {
        let http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: HTTPLimits.maximumHeaderBytes,
                    maxHeaderListSize: HTTPLimits.maximumHeaderBytes,
                    maxHeaderFieldCount: HTTPLimits.maximumHeaderCount)))
        let open = OpenChannels()
        self.http = http
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
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 16_384))
        let initialize: @Sendable (any Channel) -> EventLoopFuture<HTTP1Channel.Value> = { channel in
            Self.setUp(channel, http, kind, admission, rules, logger).map { value in
                open.add(value)
                return value
            }.flatMapError { error in
                // What is not handed on is closed here, or never.
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(error)
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

    /// Lets a connection in and makes its pipeline; fails when it is turned away.
    private static func setUp(
        _ channel: any Channel, _ http: HTTP1Channel, _ kind: ListenerKind, _ admission: Admission, _ rules: Rules,
        _ logger: Logger
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        let address = channel.remoteAddress?.host ?? "local"
        let limits = rules.limits()
        return channel.eventLoop.makeCompletedFuture {
            let admitted: ConnectionAdmission
            do {
                admitted = try admission.admit(
                    address, to: kind, isAllowed: rules.isAllowed(address), at: channel.eventLoop.now
                ) { channel.close(promise: nil) }
            } catch {
                rules.refused(address, Admission.reason(of: error))
                throw error
            }
            channel.closeFuture.whenComplete { _ in admitted.release() }
            try rules.certificate?()?.install(in: channel, timeout: limits.handshakeTimeout)
            let watch = HTTPWatch(limits: limits, admission: admitted, channel: channel)
            try channel.pipeline.syncOperations.addHandler(HTTPBytesHandler(watch: watch))
            return NIOLoopBound(watch, eventLoop: channel.eventLoop)
        }.flatMap { (watch: NIOLoopBound<HTTPWatch>) in
            http.setup(channel: channel, logger: logger).flatMapThrowing { value in
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(HTTPPartsHandler(watch: watch.value), position: .after(decoder.handler))
                return value
            }
        }
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
    }

    private func accept() async {
        await withDiscardingTaskGroup { group in
            do {
                defer { self.open.end() }
                try await self.server.executeThenClose { connections in
                    for try await connection in connections {
                        self.open.take(connection)
                        group.addTask { await self.http.handle(value: connection, logger: self.logger) }
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                self.logger.error("An HTTP listener stopped", metadata: ["reason": "\(error)"])
            }
        }
    }
}

/// The connections that are open now.
///
/// One that is accepted while the listener is given up is handed to nothing. NIO ends the program when such a connection is let go
/// unfinished, so each is held until its channel is closed.
final class OpenChannels: Sendable {
    private struct Connection {
        let value: HTTP1Channel.Value
        var isTaken = false
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    /// Holds a connection until it is closed; one that comes when all is over is closed at once.
    func add(_ value: HTTP1Channel.Value) {
        let id = ObjectIdentifier(value.channel)
        let isOver = self.state.withLock { state in
            state.connections[id] = Connection(value: value)
            return state.isOver
        }
        value.channel.closeFuture.whenComplete { _ in
            // What is held goes after the lock.
            _ = self.state.withLock { $0.connections.removeValue(forKey: id) }
        }
        if isOver { value.channel.close(promise: nil) }
    }

    /// The connection is answered from now on, and closed by what answers it.
    func take(_ value: HTTP1Channel.Value) {
        self.state.withLock { $0.connections[ObjectIdentifier(value.channel)]?.isTaken = true }
    }

    /// Closes the connections that nothing answers, now and later.
    func end() {
        let left = self.state.withLock { state in
            state.isOver = true
            return state.connections.values.filter { !$0.isTaken }.map(\.value.channel)
        }
        for channel in left { channel.close(promise: nil) }
    }

    var all: [any Channel] { self.state.withLock { $0.connections.values.map(\.value.channel) } }
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
