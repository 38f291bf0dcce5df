import NIOCore

/// Sees the bytes of an HTTP connection before they are parsed.
final class HTTPBytesHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    private let watch: HTTPWatch

    init(watch: HTTPWatch) {
        self.watch = watch
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.watch.begin()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.watch.stop()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.watch.stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.watch.received() { context.fireChannelRead(data) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.watch.writable(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { self.watch.linger() }
        context.close(mode: mode, promise: promise)
    }
}
