import NIOCore
import NIOHTTP1

/// Puts the answer to the one request of a connection together.
final class ControlReplyReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    /// More than any answer has.
    private static let maximumBody = 16 << 20

    private let promise: EventLoopPromise<ControlReply>
    private var status = 0
    private var body = ByteBuffer()

    init(promise: EventLoopPromise<ControlReply>) {
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.status = Int(head.status.code)
        case .body(var piece):
            guard self.body.readableBytes + piece.readableBytes <= Self.maximumBody else {
                return context.close(promise: nil)
            }
            self.body.writeBuffer(&piece)
        case .end:
            self.promise.succeed(ControlReply(status: self.status, body: String(buffer: self.body)))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
