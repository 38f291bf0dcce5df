import CastTransport
import NIOCore
import NIOHTTP1
import NIOPosix

/// One request to the set-up port of a real device: a GET on a connection of its own, and an answer that is bounded in bytes and time.
struct SetupFetch: Sendable {
    struct Answer: Sendable, Equatable {
        let status: Int
        let contentType: String
        let body: ByteBuffer
    }

    /// The reason there is no answer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let maximumHeaderBytes = 8 * 1024

    let eventLoop: any EventLoop
    let limits: SetupProxyLimits

    /// Asks the device.
    /// - Parameters:
    ///   - target: path and query.
    ///   - host: the device's address, without a port.
    /// - Throws: ``Failure``, when nothing whole came in time.
    func get(_ target: String, from host: String) async throws -> Answer {
        let answer = self.eventLoop.makePromise(of: Answer.self)
        let limits = self.limits
        let bootstrap = ClientBootstrap(group: self.eventLoop)
            .connectTimeout(limits.answerTime)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var bounds = NIOHTTPDecoderLimitConfiguration()
                    bounds.maxHeaderFieldSize = Self.maximumHeaderBytes
                    bounds.maxHeaderListSize = Self.maximumHeaderBytes
                    bounds.maxHeaderFieldCount = 100
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(decoderLimitConfiguration: bounds)
                    try channel.pipeline.syncOperations.addHandler(
                        SetupAnswerCollector(limit: limits.answerBytes, answer: answer))
                }
            }
        let connected: EventLoopFuture<any Channel>
        if let literal = try? SocketAddress(ipAddress: host, port: limits.port) {
            connected = bootstrap.connect(to: literal)
        } else {
            connected = bootstrap.connect(host: host, port: limits.port)
        }
        let late = self.eventLoop.scheduleTask(in: limits.answerTime) {
            answer.fail(Failure(description: "no answer in time"))
        }
        connected.whenComplete { result in
            switch result {
            case .success(let channel):
                // A device refuses a Host that is a name (protocol notes, 5.10).
                let literal = channel.remoteAddress?.host ?? host
                let shown = literal.contains(":") ? "[\(literal)]" : literal
                let head = HTTPRequestHead(
                    version: .http1_1, method: .GET, uri: target,
                    headers: ["Host": "\(shown):\(limits.port)", "Connection": "close", "Accept": "*/*"])
                answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
                channel.write(HTTPClientRequestPart.head(head), promise: nil)
                channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            case .failure(let error): answer.fail(Failure(description: TransportError.text(of: error)))
            }
        }
        defer { late.cancel() }
        return try await answer.futureResult.get()
    }
}

/// Collects an answer up to its limit.
private final class SetupAnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let limit: Int
    private let answer: EventLoopPromise<SetupFetch.Answer>
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    init(limit: Int, answer: EventLoopPromise<SetupFetch.Answer>) {
        self.limit = limit
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(var part):
            guard self.body.readableBytes + part.readableBytes <= self.limit else {
                self.answer.fail(SetupFetch.Failure(description: "the answer is too long"))
                return context.close(promise: nil)
            }
            self.body.writeBuffer(&part)
        case .end:
            guard let head = self.head else { return }
            self.answer.succeed(
                SetupFetch.Answer(
                    status: Int(head.status.code), contentType: head.headers.first(name: "content-type") ?? "",
                    body: self.body))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.answer.fail(SetupFetch.Failure(description: TransportError.text(of: error)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Has no effect when the answer is whole.
        self.answer.fail(SetupFetch.Failure(description: "the device hung up"))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.answer.fail(SetupFetch.Failure(description: "the device hung up"))
    }
}
