import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Looks at the first request of a connection, and makes the pipeline that the connection needs: that of HTTP, which is handed the
/// request, or that of a WebSocket. Removes itself then.
///
/// NIO's own upgrade handlers leave a request without an answer when it offers a protocol that nothing takes (swift-nio #2632), so
/// they are not used. Requests that follow on the same connection go to the HTTP routes, which answer them with 426.
final class FirstRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Stage {
        case waiting
        /// The head has come and is accepted; the connection changes when the request has ended.
        case accepted(HTTPHeaders, WebSocketAcceptance)
        /// The request was refused, and nothing more is read.
        case refused
        /// The connection has the pipeline that it needs.
        case done
    }

    private let stack: HTTPStack
    private let address: String
    private let decide: UpgradeDecider
    private let open: OpenChannels
    private let decided: EventLoopPromise<HTTP1Channel.Value?>
    private var stage = Stage.waiting

    /// - Parameter decided: gets the connection when it is one of HTTP, or nil when it has become something else or has ended.
    init(
        stack: HTTPStack, address: String, decide: @escaping UpgradeDecider, open: OpenChannels,
        decided: EventLoopPromise<HTTP1Channel.Value?>
    ) {
        self.stack = stack
        self.address = address
        self.decide = decide
        self.open = open
        self.decided = decided
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Does nothing when it was decided before.
        self.decided.succeed(nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (self.stage, Self.unwrapInboundIn(data)) {
        case (.waiting, .head(let head)): self.begin(head, data, context)
        case (.accepted(let headers, let acceptance), .end): self.upgrade(headers, acceptance, context)
        case (.accepted, _):
            // The handshake says that there is no body.
            self.stage = .refused
            context.close(promise: nil)
        case (.waiting, _), (.refused, _): break
        case (.done, _): context.fireChannelRead(data)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        guard UpgradeRequest.asksForWebSocket(head.headers) else { return self.serveHTTP(data, context) }
        // Two of them would be judged by one, and believed by another.
        guard head.headers["host"].count == 1, head.headers["origin"].count <= 1,
            let request = UpgradeRequest(head, address: self.address, isSecure: false)
        else { return self.refuse(.handshake("a request has one Host, and one Origin at most"), context) }
        switch self.decide(request) {
        case .answer: self.serveHTTP(data, context)
        case .refuse(let refusal): self.refuse(refusal, context)
        case .accept(let acceptance):
            switch Self.handshake(head, acceptance, channel: context.channel) {
            case .success(let headers): self.stage = .accepted(headers, acceptance)
            case .failure(let fault): self.refuse(fault.refusal, context)
            }
        }
    }

    // MARK: HTTP

    private func serveHTTP(_ data: NIOAny, _ context: ChannelHandlerContext) {
        guard self.installHTTP(context) else { return }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func installHTTP(_ context: ChannelHandlerContext) -> Bool {
        self.stage = .done
        do {
            let value = try self.stack.installHTTP()
            self.open.hold(value)
            self.decided.succeed(value)
            return true
        } catch {
            context.close(promise: nil)
            return false
        }
    }

    // MARK: WebSocket

    private struct HandshakeFault: Error {
        let refusal: UpgradeRefusal
    }

    /// The headers of the answer that makes it a WebSocket.
    private static func handshake(
        _ head: HTTPRequestHead, _ acceptance: WebSocketAcceptance, channel: any Channel
    ) -> Result<HTTPHeaders, HandshakeFault> {
        func fault(_ status: Int = 400, _ detail: StaticString) -> Result<HTTPHeaders, HandshakeFault> {
            .failure(HandshakeFault(refusal: .handshake(status: status, detail)))
        }
        guard head.method == .GET, head.version == .http1_1 else {
            return fault(400, "a WebSocket begins with GET of HTTP/1.1")
        }
        let hasBody =
            head.headers.contains(name: "transfer-encoding") || head.headers["content-length"].contains { $0 != "0" }
        guard !hasBody else { return fault(400, "the request for a WebSocket has no body") }
        guard head.headers["sec-websocket-version"] == ["13"] else {
            return fault(426, "the version of a WebSocket is 13")
        }
        let keys = head.headers["sec-websocket-key"]
        guard keys.count == 1, Self.isKey(keys[0]) else {
            return fault(400, "Sec-WebSocket-Key is 16 bytes in Base64, once")
        }
        var headers = HTTPHeaders()
        if let subprotocol = acceptance.subprotocol { headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        let answer = upgrader.buildUpgradeResponse(
            channel: channel, upgradeRequest: head, initialResponseHeaders: headers)
        // Nothing in it waits, so it is there already.
        var built: HTTPHeaders?
        answer.assumeIsolated().whenSuccess { built = $0 }
        guard let built else { return fault(400, "the handshake of the WebSocket is malformed") }
        headers.add(contentsOf: built)
        return .success(headers)
    }

    /// 22 characters of Base64 and two signs that fill it up (RFC 6455, 4.1).
    private static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == 24, text.hasSuffix("==") else { return false }
        return text.utf8.dropLast(2).allSatisfy { byte in
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2B
                || byte == 0x2F
        }
    }

    private func upgrade(_ headers: HTTPHeaders, _ acceptance: WebSocketAcceptance, _ context: ChannelHandlerContext) {
        self.stage = .done
        let pipeline = context.pipeline.syncOperations
        do {
            // It would take the answer for the connection's last.
            try self.stack.removeLimits()
            let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
            try self.stack.removeEncoder()
            self.open.becameWebSocket(context.channel)
            self.decided.succeed(nil)
            try WebSocketHandler.install(acceptance, admission: self.stack.watch.admission, in: context.channel)
            pipeline.removeHandler(context: context, promise: nil)
            try self.stack.removeDecoder()
        } catch {
            context.close(promise: nil)
        }
    }

    // MARK: Refusals

    private func refuse(_ refusal: UpgradeRefusal, _ context: ChannelHandlerContext) {
        self.stage = .refused
        let answer = ListenerAnswer(
            status: .init(statusCode: refusal.status), problem: refusal.problem, headers: refusal.headers)
        context.write(Self.wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
        // The request has not ended, so what holds the connection to its limits ends it with this answer.
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (self.stage, event) {
        case (.waiting, is ChannelShouldQuiesceEvent), (.accepted, is ChannelShouldQuiesceEvent),
            (.waiting, ChannelEvent.inputClosed), (.accepted, ChannelEvent.inputClosed):
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
