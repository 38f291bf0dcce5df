public import CastWire
public import NIOCore
import NIOTLS

/// One TLS channel that carries Cast messages: the last handler of its pipeline and the owner's way to write.
///
/// Lives on one event loop; nothing here may be called from elsewhere.
public final class CastConnection: ChannelDuplexHandler {
    /// What comes in from the frame decoder.
    public typealias InboundIn = CastMessage
    /// Nothing passes beyond the connection.
    public typealias OutboundIn = Never
    /// What goes out to the frame encoder.
    public typealias OutboundOut = CastMessage

    /// The DER of the certificate that this channel serves, for signing challenges; nil on a dialled channel.
    public let servedLeaf: [UInt8]?
    /// The peer's address without its port, or `unknown`.
    public private(set) var peerAddress = "unknown"

    private weak var delegate: (any CastConnectionDelegate)?
    private var context: ChannelHandlerContext?
    private var isReady = false
    private var isClosing = false
    private var isClosed = false
    private var reason: TransportError?
    private let isSecured: Bool

    /// Makes the connection; ``CastPipeline`` puts it into a channel.
    /// - Parameter isSecured: false in tests without TLS; the connection is then ready when it is active.
    init(delegate: any CastConnectionDelegate, servedLeaf: [UInt8]?, isSecured: Bool) {
        self.delegate = delegate
        self.servedLeaf = servedLeaf
        self.isSecured = isSecured
    }

    /// Queues a message; it leaves at the next ``flush()``. Ignored once either end began to close.
    /// - Returns: false when the message is too large for a frame, and is not sent.
    @discardableResult
    public func send(_ message: CastMessage) -> Bool {
        guard let context, !self.isClosing, !self.isClosed else { return true }
        guard message.serializedLength <= CastMessage.maximumBodyLength else { return false }
        context.write(Self.wrapOutboundOut(message), promise: nil)
        return true
    }

    /// Lets everything that was queued leave as one piece.
    public func flush() {
        guard !self.isClosed else { return }
        self.context?.flush()
    }

    /// True while the peer takes what it is sent.
    public var isWritable: Bool { self.context?.channel.isWritable ?? false }

    /// Closes the channel behind what was sent.
    public func close(_ reason: String) {
        self.close(with: .closedLocally(reason))
    }

    /// Closes the channel; when the peer is at fault, without waiting for its farewell.
    public func close(with reason: TransportError) {
        guard let context, !self.isClosing, !self.isClosed else { return }
        // A flush may fail and come back here, so what is decided is noted first.
        self.isClosing = true
        self.reason = reason
        if reason.isFault, let tls = try? context.pipeline.syncOperations.context(name: CastPipeline.tlsHandlerName) {
            // TLS would wait seconds for the farewell of a peer that is silent, stuck or hostile. Closing in a turn of
            // its own spares the owner to learn of the end in the middle of what it sends.
            context.eventLoop.assumeIsolated().execute { tls.close(mode: .all, promise: nil) }
        } else {
            context.flush()
            context.close(mode: .all, promise: nil)
        }
    }

    // MARK: ChannelHandler

    /// Remembers the channel.
    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.learnAddress(context)
    }

    /// Tells the owner that the channel is gone, if nothing else did.
    public func handlerRemoved(context: ChannelHandlerContext) {
        self.finish()
        self.context = nil
    }

    /// Without TLS, the connection is ready now.
    public func channelActive(context: ChannelHandlerContext) {
        self.learnAddress(context)
        if !self.isSecured { self.becomeReady() }
        context.fireChannelActive()
    }

    /// With TLS, the connection is ready when the handshake is done.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(_) = event { self.becomeReady() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Hands a message to the owner.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isClosing else { return }
        self.delegate?.connection(self, received: Self.unwrapInboundIn(data))
    }

    /// Lets the answers of one read leave together.
    public func channelReadComplete(context: ChannelHandlerContext) {
        if !self.isClosing { self.delegate?.connectionReadComplete(self) }
        context.flush()
        context.fireChannelReadComplete()
    }

    /// Closes: what went wrong below cannot be mended here.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let reason = TransportError(error) {
            self.close(with: reason)
        } else {
            context.close(mode: .all, promise: nil)
        }
    }

    /// Tells the owner that the channel is gone.
    public func channelInactive(context: ChannelHandlerContext) {
        self.finish()
        context.fireChannelInactive()
    }

    private func learnAddress(_ context: ChannelHandlerContext) {
        if let address = context.remoteAddress { self.peerAddress = address.host }
    }

    private func becomeReady() {
        guard !self.isReady, !self.isClosing, !self.isClosed else { return }
        self.isReady = true
        self.delegate?.connectionReady(self)
    }

    private func finish() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.delegate?.connectionClosed(self, reason: self.reason)
        self.delegate = nil
    }
}
