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

/// Reads the answer to the one request of a connection line by line, as it comes.
final class ControlLineReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    /// Longer than any line that the gateway writes.
    private static let maximumLine = 16 << 20

    /// What was read.
    enum Piece: Sendable {
        /// One line of a good answer, without its newline.
        case line(String)
        /// The body of any other answer.
        case refusal(ControlReply)
    }

    private let pieces: AsyncThrowingStream<Piece, any Error>.Continuation
    private var status = 0
    private var rest = ByteBuffer()

    init(_ pieces: AsyncThrowingStream<Piece, any Error>.Continuation) {
        self.pieces = pieces
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.status = Int(head.status.code)
        case .body(var piece):
            self.rest.writeBuffer(&piece)
            guard self.rest.readableBytes <= Self.maximumLine else { return context.close(promise: nil) }
            guard self.status == 200 else { return }
            while let end = self.rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                let line = self.rest.readString(length: end - self.rest.readerIndex) ?? ""
                self.rest.moveReaderIndex(forwardBy: 1)
                self.pieces.yield(.line(line))
            }
            self.rest.discardReadBytes()
        case .end:
            if self.status != 200 {
                self.pieces.yield(.refusal(ControlReply(status: self.status, body: String(buffer: self.rest))))
            }
            self.pieces.finish()
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.pieces.finish(throwing: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.pieces.finish()
        context.fireChannelInactive()
    }
}
