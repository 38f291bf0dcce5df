import CastwayTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A web server that answers every request with the bytes that a test gives.
final class PictureServer: Sendable {
    /// What is answered to a request for a path: bytes as they are; nil for nothing at all.
    typealias Script = @Sendable (String) -> ByteBuffer?

    /// The paths that were asked for, in their order.
    let requests = Inbox<String>()
    let port: Int
    private let server: any Channel

    init(_ script: @escaping Script) async throws {
        let requests = self.requests
        self.server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let sync = channel.pipeline.syncOperations
                    try sync.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try sync.addHandler(Handler(requests: requests, script: script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = self.server.localAddress?.port ?? 0
    }

    deinit { self.server.close(promise: nil) }

    /// A whole answer.
    static func whole(_ body: ByteBuffer, type: String? = "image/png", _ headers: String = "") -> ByteBuffer {
        let named = type.map { "content-type: \($0)\r\n" } ?? ""
        var answer = ByteBuffer(
            string: "HTTP/1.1 200 OK\r\n\(named)\(headers)content-length: \(body.readableBytes)\r\n\r\n")
        answer.writeImmutableBuffer(body)
        return answer
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = ByteBuffer

        private let requests: Inbox<String>
        private let script: Script

        init(requests: Inbox<String>, script: @escaping Script) {
            self.requests = requests
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = self.unwrapInboundIn(data) else { return }
            self.requests.put(head.uri)
            guard let answer = self.script(head.uri) else { return }
            context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// Beginnings of pictures, as far as they are looked at.
enum Sample {
    static func bytes(_ parts: [UInt8]...) -> ByteBuffer { ByteBuffer(bytes: parts.flatMap { $0 }) }

    static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    static func little(_ number: Int, _ count: Int) -> [UInt8] { self.big(number, count).reversed() }

    static func png(_ width: Int = 3, _ height: Int = 2, filling count: Int = 0) -> ByteBuffer {
        Self.bytes(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Self.big(13, 4), Self.ascii("IHDR"), Self.big(width, 4),
            Self.big(height, 4), [8, 2, 0, 0, 0], Array(repeating: 0, count: count))
    }

    static func gif(_ width: Int, _ height: Int) -> ByteBuffer {
        Self.bytes(Self.ascii("GIF89a"), Self.little(width, 2), Self.little(height, 2), [0, 0, 0])
    }

    static func jpeg(_ width: Int, _ height: Int, before: [UInt8] = []) -> ByteBuffer {
        Self.bytes(
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2], before, [0xFF, 0xC4, 0, 3, 9], [0xFF, 0xC2, 0, 17, 8],
            Self.big(height, 2), Self.big(width, 2), [3, 1, 0x22, 0])
    }

    static func webp(_ kind: String, _ rest: [UInt8]) -> ByteBuffer {
        Self.bytes(
            Self.ascii("RIFF"), Self.little(100, 4), Self.ascii("WEBP"), Self.ascii(kind),
            Self.little(rest.count, 4), rest)
    }

    static func avif(_ width: Int, _ height: Int, brand: String = "avif") -> ByteBuffer {
        Self.bytes(
            Self.big(20, 4), Self.ascii("ftypmif1"), [0, 0, 0, 0], Self.ascii(brand), Self.big(60, 4),
            Self.ascii("meta"), Self.ascii("iiispe"), [0, 0, 0, 0], Self.big(16, 4), Self.big(16, 4),
            Self.big(20, 4), Self.ascii("ispe"), [0, 0, 0, 0], Self.big(width, 4), Self.big(height, 4))
    }
}
