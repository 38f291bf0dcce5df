import CastwayTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A back end that answers bytes as a test says, over real connections.
final class ScriptedBackEnd: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        let head: HTTPRequestHead
        let body: ByteBuffer
        /// Which connection it came on, counted from 1.
        let connection: Int
    }

    /// What a test answers with.
    struct Answer: Sendable {
        fileprivate let channel: any Channel

        /// Sends bytes as they are.
        func send(_ text: String) { self.channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

        /// Sends a whole answer.
        func send(_ status: Int, _ headers: String = "", body: String = "") {
            self.send("HTTP/1.1 \(status) x\r\n\(headers)content-length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        /// Sends bytes for as long as the other end reads them.
        func sendForever(_ bytes: ByteBuffer) {
            self.channel.writeAndFlush(bytes).whenSuccess { self.sendForever(bytes) }
        }

        /// Ends the connection.
        func close() { self.channel.close(promise: nil) }
    }

    typealias Script = @Sendable (Request, Answer) -> Void

    /// The requests in the order in which they came.
    let requests = Inbox<Request>()
    /// The connections that ended.
    let ended = Inbox<Int>()
    let port: Int
    private let server: any Channel

    init(
        at host: String = "127.0.0.1", port: Int = 0, tls: NIOSSLContext? = nil, script: @escaping Script
    ) async throws {
        let (requests, ended) = (self.requests, self.ended)
        let counted = CountedConnections()
        self.server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = counted.next()
                    channel.closeFuture.whenComplete { _ in ended.put(number) }
                    let sync = channel.pipeline.syncOperations
                    if let tls { try sync.addHandler(NIOSSLServerHandler(context: tls)) }
                    try sync.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try sync.addHandler(Handler(connection: number, requests: requests, script: script))
                }
            }
            .bind(host: host, port: port).get()
        self.port = self.server.localAddress?.port ?? 0
    }

    deinit { self.server.close(promise: nil) }

    private final class CountedConnections: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            self.count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = ByteBuffer

        private let connection: Int
        private let requests: Inbox<Request>
        private let script: Script
        private var head: HTTPRequestHead?
        private var body = ByteBuffer()

        init(connection: Int, requests: Inbox<Request>, script: @escaping Script) {
            self.connection = connection
            self.requests = requests
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch self.unwrapInboundIn(data) {
            case .head(let head): (self.head, self.body) = (head, ByteBuffer())
            case .body(var part): self.body.writeBuffer(&part)
            case .end:
                guard let head else { return }
                let request = Request(head: head, body: self.body, connection: self.connection)
                self.requests.put(request)
                self.script(request, Answer(channel: context.channel))
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
