import NIOCore
import NIOTLS

/// Gives a peer up that opens a connection and never finishes TLS.
final class HandshakeTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let timeout: TimeAmount
    private let onFinished: (() -> Void)?
    private var timer: Scheduled<Void>?

    /// - Parameter onFinished: called once when TLS stands.
    init(timeout: TimeAmount, onFinished: (() -> Void)? = nil) {
        self.timeout = timeout
        self.onFinished = onFinished
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleTask(in: self.timeout) {
            bound.value.fireErrorCaught(TransportError.handshakeTimedOut)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if case TLSUserEvent.handshakeCompleted(_) = event {
            self.onFinished?()
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
    }
}
