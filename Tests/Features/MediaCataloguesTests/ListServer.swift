import CastwayTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A web server that answers every request with the bytes that a test gives.
final class ListServer: Sendable {
    /// What is answered: bytes as they are; nil for nothing at all.
    typealias Script = @Sendable (HTTPRequestHead) -> String?

    /// The requests in the order in which they came.
    let requests = Inbox<HTTPRequestHead>()
    let port: Int
    private let answers: Answers
    private let server: any Channel

    init(_ script: @escaping Script) async throws {
        let requests = self.requests
        let answers = Answers(script)
        self.answers = answers
        self.server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let sync = channel.pipeline.syncOperations
                    try sync.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try sync.addHandler(Handler(requests: requests, answers: answers))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = self.server.localAddress?.port ?? 0
    }

    deinit { self.server.close(promise: nil) }

    /// Answers differently from now on.
    func answer(_ script: @escaping Script) { self.answers.script.withLock { $0 = script } }

    /// A whole answer.
    static func whole(_ status: Int, _ headers: String = "", _ body: String = "") -> String {
        "HTTP/1.1 \(status) x\r\n\(headers)content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private final class Answers: Sendable {
        let script: Mutex<Script>

        init(_ script: @escaping Script) { self.script = Mutex(script) }

        func answer(to head: HTTPRequestHead) -> String? { self.script.withLock { $0 }(head) }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = ByteBuffer

        private let requests: Inbox<HTTPRequestHead>
        private let answers: Answers

        init(requests: Inbox<HTTPRequestHead>, answers: Answers) {
            self.requests = requests
            self.answers = answers
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = self.unwrapInboundIn(data) else { return }
            self.requests.put(head)
            guard let answer = self.answers.answer(to: head) else { return }
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
