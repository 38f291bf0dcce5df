import NIOCore

/// Counts the bytes that come in below TLS, so that what TLS itself costs can be told.
final class SocketByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.count += Self.unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    /// The bytes that came in since the last call.
    func take() -> Int {
        defer { self.count = 0 }
        return self.count
    }
}
