import NIOCore

/// Carries lines to a plugin and back: a socket, or a module's functions. Lives on the connection's event loop.
protocol PluginTransport: AnyObject {
    /// Hands over whole lines. Each write must be confirmed by ``PluginWire/written(_:)``, with its size.
    func write(_ lines: ByteBuffer)

    /// Says that nothing more will be written; what was handed over still goes out.
    func endWriting()

    /// Closes the transport; ``PluginWire/closed(_:)`` follows.
    func close()
}

/// Carries a plugin's lines over a socket.
final class PluginChannelHandler: ChannelInboundHandler, PluginTransport {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let wire: PluginWire
    private var context: ChannelHandlerContext?

    init(_ wire: PluginWire) {
        self.wire = wire
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.wire.transport = self
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.wire.received(self.unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        self.wire.closed("the plugin has ended")
    }

    func write(_ lines: ByteBuffer) {
        let count = lines.readableBytes
        guard let context else { return self.wire.written(count) }
        let wire = NIOLoopBound(self.wire, eventLoop: context.eventLoop)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { _ in wire.value.written(count) }
        context.writeAndFlush(self.wrapOutboundOut(lines), promise: promise)
    }

    func endWriting() {
        self.context?.close(mode: .output, promise: nil)
    }

    func close() {
        self.context?.close(promise: nil)
    }
}
