import NIOCore
import NIOHTTP1

/// Sees the requests and answers of an HTTP connection.
///
/// A body that is too long is answered with 413 here. An answer that begins before its request is complete, or that says
/// `Connection: close`, is the connection's last: nothing more is read. So is the answer to a request that offers another protocol
/// (`Upgrade: h2c`), since NIO's decoder reads nothing behind such a request.
final class HTTPPartsHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A problem detail (RFC 9457).
    private static let tooLarge: StaticString =
        #"{"type":"about:blank","status":413,"code":"body_too_large","detail":"the body is longer than the listener takes"}"#

    private let watch: HTTPWatch
    private var isAnswering = false
    private var isLast = false
    /// A request has offered another protocol.
    private var hasOffer = false

    init(watch: HTTPWatch) {
        self.watch = watch
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let verdict: HTTPConnectionState.Verdict
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            // A length that is no number is told by the decoder; one that does not fit is too long in any case.
            let length = head.headers.first(name: "content-length").map { Int($0) ?? .max }
            if UpgradeRequest.isOffer(head.headers) { self.hasOffer = true }
            verdict = self.watch.head(bodyLength: length)
        case .body(let bytes): verdict = self.watch.body(bytes.readableBytes)
        case .end: verdict = self.watch.end()
        }
        switch verdict {
        case .pass: context.fireChannelRead(data)
        case .drop: break
        case .refuse: self.refuse(context)
        }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard self.watch.isAnswerLast, !self.isAnswering else {
            // Another answer is under way, and this one could not be told from it.
            self.watch.refuse()
            context.close(promise: nil)
            return
        }
        self.watch.refuse()
        let body = context.channel.allocator.buffer(staticString: Self.tooLarge)
        let head = HTTPResponseHead(
            version: .http1_1, status: .payloadTooLarge,
            headers: [
                "connection": "close", "content-type": "application/problem+json",
                "content-length": "\(body.readableBytes)",
            ])
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.watch.isRefused else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch Self.unwrapOutboundIn(data) {
        case .head(var head):
            self.isAnswering = true
            self.isLast =
                self.watch.isAnswerLast || self.hasOffer && self.watch.isOneUnanswered
                || head.headers["connection"].contains("close")
            if self.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            self.isAnswering = false
            self.watch.answered()
            guard self.isLast else { return context.write(data, promise: promise) }
            self.watch.refuse()
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What cannot be parsed is answered; all else, from TLS or the socket, is the end.
        guard error is HTTPParserError else { return context.close(promise: nil) }
        context.fireErrorCaught(error)
    }
}

/// Sees the bytes of an HTTP connection before they are parsed.
final class HTTPBytesHandler: ChannelDuplexHandler, RemovableChannelHandler {
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
