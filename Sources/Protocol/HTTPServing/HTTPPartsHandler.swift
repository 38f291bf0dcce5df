import CastTransport
import NIOCore
import NIOHTTP1

/// A request does not get the time or the memory that it needs to come whole; its connection is told so, and ends.
struct RefusedRequestEvent: Sendable {
    let answer: ListenerAnswer
}

/// Sees the requests and answers of an HTTP connection.
///
/// What is no request, comes too slowly, is too long or comes from where no request may come any more is answered here, behind the answers to the requests before it. An answer that
/// begins before its request is complete, or that says `Connection: close`, is the connection's last: nothing more is read. So is the
/// answer to a request that offers another protocol (`Upgrade: h2c`), since NIO's decoder reads nothing behind such a request.
final class HTTPPartsHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let watch: HTTPWatch
    /// The peer does not speak HTTP/1.1, and knows no chunks.
    private var isOld = false
    private var isAnswering = false
    private var isLast = false
    private var hasOffer = false
    /// The answer that follows when the requests before have been answered.
    private var refusal: ListenerAnswer?

    init(watch: HTTPWatch) {
        self.watch = watch
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing behind what is refused is a request.
        guard self.refusal == nil else { return }
        let verdict: HTTPConnectionState.Verdict
        var data = data
        switch Self.unwrapInboundIn(data) {
        case .head(var head):
            // A length that is no number is told by the decoder; one that does not fit is too long in any case.
            let length = head.headers.first(name: "content-length").map { Int($0) ?? .max }
            if UpgradeRequest.isOffer(head.headers) { self.hasOffer = true }
            if head.version != .http1_1 { self.isOld = true }
            verdict = self.watch.head(bodyLength: length)
            guard verdict == .pass else { break }
            guard self.watch.isAllowed() else { return self.refuse(with: .forbidden, context) }
            guard head.isUnambiguous else { return self.refuse(with: .ambiguous, context) }
            head.takeAuthority()
            data = Self.wrapInboundOut(.head(head))
            if head.waitsForContinue, !self.hasOffer, self.watch.isOneUnanswered {
                let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(Self.wrapOutboundOut(.head(goOn)), promise: nil)
            }
        case .body(let bytes): verdict = self.watch.body(bytes.readableBytes)
        case .end: verdict = self.watch.end()
        }
        switch verdict {
        case .pass: context.fireChannelRead(data)
        case .drop: break
        case .refuse: self.refuse(with: .bodyTooLarge, context)
        }
    }

    /// Ends the connection with an answer of the listener's own, when it is its turn.
    private func refuse(with answer: ListenerAnswer, _ context: ChannelHandlerContext) {
        guard self.refusal == nil, !self.watch.isRefused else { return }
        self.refusal = answer
        if self.watch.isAnswerDue, self.isAnswering {
            // The answer to this very request is under way, and another could not be told from it.
            self.watch.refuse()
            context.close(promise: nil)
            return
        }
        self.refuseInTurn(context)
    }

    private func refuseInTurn(_ context: ChannelHandlerContext) {
        guard let refusal, self.watch.isAnswerDue, !self.isAnswering, !self.watch.isRefused else { return }
        self.watch.refuse()
        context.write(Self.wrapOutboundOut(.head(refusal.head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: refusal.body)))), promise: nil)
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
            if self.isOld {
                head.version = .http1_0
                head.headers.remove(name: "transfer-encoding")
                self.isLast = true
            }
            if self.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            self.isAnswering = false
            self.watch.answered()
            guard self.isLast else {
                context.write(data, promise: promise)
                return self.refuseInTurn(context)
            }
            self.watch.refuse()
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is CallerKnown else { return context.triggerUserOutboundEvent(event, promise: promise) }
        self.watch.callerIsKnown()
        promise?.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What cannot be parsed is answered; all else, from TLS or the socket, is the end.
        guard let error = error as? HTTPParserError else { return context.channel.hangUp() }
        self.refuse(with: ListenerAnswer(error), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let refused = event as? RefusedRequestEvent else { return context.fireUserInboundEventTriggered(event) }
        guard self.refusal == nil, self.watch.isAnswerDue, !self.isAnswering else { return context.channel.hangUp() }
        self.refuse(with: refused.answer, context)
    }
}

/// Sees the bytes of an HTTP connection before they are parsed.
final class HTTPBytesHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

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
        switch self.watch.received(Self.unwrapInboundIn(data).readableBytes) {
        case .pass: context.fireChannelRead(data)
        case .refuse: context.fireUserInboundEventTriggered(RefusedRequestEvent(answer: .overloaded))
        case .drop: break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard self.watch.wrote(Self.unwrapOutboundIn(data).readableBytes) else {
            promise?.fail(ChannelError.outputClosed)
            return context.channel.hangUp()
        }
        context.write(data, promise: promise)
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
