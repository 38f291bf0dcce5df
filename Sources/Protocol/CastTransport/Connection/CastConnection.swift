package import CastWire
import Glibc
package import NIOCore
import NIOSSL
import NIOTLS

/// One TLS channel that carries Cast messages: the last handler of its pipeline and the owner's way to write.
///
/// How it works: bytes without TLS come in, cut anywhere; ``FrameReader`` turns them into messages, ``HeartbeatTimer`` takes
/// PING and PONG out, and every other message goes to the delegate at once, on the event loop. What is sent is collected by
/// ``FrameCollector`` and leaves when the read that caused it is complete, or with ``flush()``. All of this is one handler,
/// because a message that passed from handler to handler would be boxed for each, which cost more than all of its parsing.
///
/// A connection becomes ready once (TLS stands), may be closed from either end, and tells its delegate of the end exactly
/// once. Closing notes first that it closes, since a write that fails may call back before it returns. Lives on one event
/// loop; nothing here may be called from elsewhere.
package final class CastConnection: ChannelDuplexHandler {
    /// What comes in: bytes without TLS, cut anywhere.
    package typealias InboundIn = ByteBuffer
    /// Nothing passes beyond the connection.
    package typealias OutboundIn = Never
    /// What goes out: whole frames.
    package typealias OutboundOut = ByteBuffer

    /// The DER of the certificate that this channel serves, for signing challenges; nil on a dialled channel.
    package let servedLeaf: [UInt8]?
    /// The peer's address without its port, or `unknown`.
    package private(set) var peerAddress = "unknown"

    /// Held until the channel is gone. A weak reference would put the owner's counts into a table aside, and every use
    /// of the owner would be a detour: 6 % of the CPU of a relayed message.
    private var delegate: (any CastConnectionDelegate)?
    private var context: ChannelHandlerContext?
    private var incoming = FrameReader()
    private var outgoing: FrameCollector
    private let heartbeat: HeartbeatTimer
    /// False while the peer does not take what it is sent; kept here since it is asked for every message.
    package private(set) var isWritable = false
    private var isReady = false
    private var isClosing = false
    private var isClosed = false
    private var reason: TransportError?
    private let isSecured: Bool

    /// Makes the connection; ``CastPipeline`` puts it into a channel.
    /// - Parameter isSecured: false in tests without TLS; the connection is then ready when it is active.
    init(
        delegate: any CastConnectionDelegate, servedLeaf: [UInt8]?, isSecured: Bool, heartbeat: HeartbeatTimer,
        setsLastFrameApart: Bool
    ) {
        self.delegate = delegate
        self.heartbeat = heartbeat
        self.outgoing = FrameCollector(setsLastFrameApart: setsLastFrameApart)
        self.servedLeaf = servedLeaf
        self.isSecured = isSecured
    }

    /// Queues a message; it leaves at the next ``flush()``. Ignored once either end began to close.
    /// - Parameter names: what the message is called on this channel; nil for its own names.
    /// - Returns: false when the message is too large for a frame, and is not sent.
    @discardableResult
    package func send(_ message: CastMessage, as names: MessageNames? = nil) -> Bool {
        guard !self.isClosing, !self.isClosed, self.context != nil else { return true }
        if message.family == .deviceAuth { self.heartbeat.open() }
        return self.write(message, as: names)
    }

    /// Lets everything that was queued leave.
    package func flush() {
        guard !self.isClosed, let context else { return }
        self.flush(context)
    }

    private func write(_ message: CastMessage, as names: MessageNames? = nil) -> Bool {
        guard self.outgoing.append(message, as: names) else { return false }
        // A turn without end must not pile up here or in TLS, where back pressure does not see it.
        if self.outgoing.isFull, let context { self.flush(context) }
        return true
    }

    /// What was collected is taken first: a failing write may come back here before it returns.
    private func flush(_ context: ChannelHandlerContext) {
        guard let pieces = self.outgoing.take() else { return }
        context.write(Self.wrapOutboundOut(pieces.first), promise: nil)
        if let second = pieces.second { context.write(Self.wrapOutboundOut(second), promise: nil) }
        context.flush()
    }

    /// Closes the channel behind what was sent.
    package func close(_ reason: String) {
        self.close(with: .closedLocally(reason))
    }

    /// Closes the channel; when the peer is at fault, without waiting for its farewell.
    package func close(with reason: TransportError) {
        guard let context, !self.isClosing, !self.isClosed else { return }
        // A flush may fail and come back here, so what is decided is noted first.
        self.isClosing = true
        self.reason = reason
        if reason.isFault, let tls = try? context.pipeline.syncOperations.context(name: CastPipeline.tlsHandlerName) {
            // TLS would wait seconds for the farewell of a peer that is silent, stuck or hostile. Closing in a turn of
            // its own spares the owner to learn of the end in the middle of what it sends.
            context.eventLoop.assumeIsolated().execute { tls.close(mode: .all, promise: nil) }
        } else {
            self.flush(context)
            context.close(mode: .all, promise: nil)
        }
    }

    /// What it is the last handler of, while that lives.
    var channel: (any Channel)? { self.context?.channel }

    /// Where the channel ends, here and at the peer; nil when it is gone.
    package var endpoints: (local: SocketAddress, remote: SocketAddress)? {
        guard let context, let local = context.localAddress, let remote = context.remoteAddress else { return nil }
        return (local, remote)
    }

    /// TLS, while the channel lives.
    var tlsHandler: (any ChannelHandler)? {
        guard let context else { return nil }
        return try? context.pipeline.syncOperations.context(name: CastPipeline.tlsHandlerName).handler
    }

    // MARK: ChannelHandler

    /// Remembers the channel.
    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.isWritable = context.channel.isWritable
        self.learnAddress(context)
    }

    /// Notes whether the peer takes what it is sent.
    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.isWritable = context.channel.isWritable
        if self.isReady, !self.isClosed { self.delegate?.connectionWritabilityChanged(self) }
        context.fireChannelWritabilityChanged()
    }

    /// Tells the owner that the channel is gone, if nothing else did.
    package func handlerRemoved(context: ChannelHandlerContext) {
        self.finish()
        self.context = nil
        self.isWritable = false
    }

    /// Without TLS, the connection is ready now.
    package func channelActive(context: ChannelHandlerContext) {
        self.learnAddress(context)
        if !self.isSecured { self.markReady(context) }
        context.fireChannelActive()
    }

    /// With TLS, the connection is ready when the handshake is done.
    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(_) = event { self.markReady(context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Hands every message that is whole to the owner; heartbeats end here.
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isClosing, let delegate else { return }
        self.incoming.append(Self.unwrapInboundIn(data))
        // One instant for all that one read brought.
        let now = context.eventLoop.now
        do {
            // The owner may close in the middle of what one read brought.
            while !self.isClosing, !self.isClosed, let message = try self.incoming.next() {
                switch self.heartbeat.received(message, at: now) {
                case .notHeartbeat: delegate.connection(self, received: message)
                case .answer(let pong): _ = self.write(pong)
                case .swallow: break
                case .close(let error): self.close(with: error)
                }
            }
        } catch {
            self.close(with: .malformed(error))
        }
    }

    /// Lets the answers of one read leave together.
    package func channelReadComplete(context: ChannelHandlerContext) {
        if !self.isClosing { self.delegate?.connectionReadComplete(self) }
        self.flush(context)
        context.fireChannelReadComplete()
    }

    /// Closes: what went wrong below cannot be mended here.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let reason = TransportError(error) {
            self.close(with: reason == .handshakeEvicted && self.isReady ? .gaveWay : reason)
        } else {
            context.close(mode: .all, promise: nil)
        }
    }

    /// Tells the owner that the channel is gone; a frame that was cut by the end is given up silently.
    package func channelInactive(context: ChannelHandlerContext) {
        self.finish()
        context.fireChannelInactive()
    }

    private func learnAddress(_ context: ChannelHandlerContext) {
        if let address = context.remoteAddress { self.peerAddress = address.host }
    }

    private func markReady(_ context: ChannelHandlerContext) {
        guard !self.isReady, !self.isClosing, !self.isClosed else { return }
        self.isReady = true
        // The heartbeat lets go of this connection when it is stopped, at the latest when the channel ends.
        self.heartbeat.start(
            on: context.eventLoop,
            ping: { ping in
                guard let context = self.context else { return }
                _ = self.write(ping)
                self.flush(context)
            },
            giveUp: { self.close(with: .silentPeer) })
        self.delegate?.connectionReady(self)
    }

    private func finish() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.heartbeat.stop()
        self.delegate?.connectionClosed(self, reason: self.reason)
        self.delegate = nil
    }
}

/// The owner of a ``CastConnection``. Called on the connection's event loop, in order.
package protocol CastConnectionDelegate: AnyObject {
    /// What the peer may send; nil for one whose messages are not counted. Asked once, when the channel is made.
    var inboundBudget: InboundBudget? { get }

    /// TLS stands; messages may be sent. Comes first, and at most once.
    func connectionReady(_ connection: CastConnection)

    /// A message came in. Heartbeats do not get here.
    func connection(_ connection: CastConnection, received message: CastMessage)

    /// All messages of one read were delivered; a good moment to flush.
    func connectionReadComplete(_ connection: CastConnection)

    /// The peer stopped to take what it is sent, or takes it again: see ``CastConnection/isWritable``.
    func connectionWritabilityChanged(_ connection: CastConnection)

    /// The channel is gone. Comes last, exactly once, also when it never became ready.
    /// - Parameter reason: why this end closed it, or nil when the peer did.
    func connectionClosed(_ connection: CastConnection, reason: TransportError?)
}

extension CastConnectionDelegate {
    /// Nothing is counted.
    package var inboundBudget: InboundBudget? { nil }

    /// Nothing is done.
    package func connectionWritabilityChanged(_ connection: CastConnection) {}
}

extension CastConnection {
    /// The DER of the certificate that the peer showed, which device authentication is about (protocol notes, 2.5).
    ///
    /// nil when it showed none, when there is no TLS, and once the channel is gone.
    package var peerLeaf: [UInt8]? {
        guard let handler = self.tlsHandler as? NIOSSLClientHandler else { return nil }
        return try? handler.peerCertificate?.toDERBytes()
    }
}

extension CastConnection {
    /// How TCP gets on with what was sent and is not acknowledged.
    package struct Retransmission: Equatable, Sendable {
        /// How often it was sent again since the peer last acknowledged anything.
        package let count: Int
        /// When it is sent again, from now on.
        package let next: TimeAmount

        init(_ info: tcp_info) {
            self.count = Int(info.tcpi_retransmits)
            let timeout = TimeAmount.microseconds(Int64(info.tcpi_rto))
            self.next = max(.zero, timeout - .milliseconds(Int64(info.tcpi_last_data_sent)))
        }
    }

    /// Asks the kernel how TCP gets on.
    /// - Parameter take: gets the answer, on the event loop; nil when there is no TCP below, or no channel any more.
    package func measureRetransmission(_ take: @escaping (Retransmission?) -> Void) {
        guard let channel = self.channel as? any SocketOptionProvider else { return take(nil) }
        channel.getTCPInfo().assumeIsolated().whenComplete { take((try? $0.get()).map { Retransmission($0) }) }
    }
}
