import NIOCore

/// Reads what a plugin writes to its standard error.
final class DiagnosticsHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Takes bytes; nil at the end.
    private let onBytes: @Sendable (ByteBuffer?) -> Void

    init(onBytes: @escaping @Sendable (ByteBuffer?) -> Void) {
        self.onBytes = onBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.onBytes(self.unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.onBytes(nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
