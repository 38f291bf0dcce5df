import NIOCore

/// Speaks before it is spoken to, and no TLS.
final class PlainGreeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let text = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")
        context.writeAndFlush(Self.wrapOutboundOut(text), promise: nil)
    }
}
