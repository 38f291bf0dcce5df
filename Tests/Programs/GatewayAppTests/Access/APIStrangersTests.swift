import CastwayTestSupport
import ControlAPI
import NIOCore
import NIOPosix
import Testing

/// Callers without a token, and what they leave to those with one.
@Suite(.timeLimit(.minutes(1))) struct APIStrangersTests {
    /// Tells when the first bytes of an answer have come, or the end.
    private final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let inbox: Inbox<Bool>

        init(_ inbox: Inbox<Bool>) { self.inbox = inbox }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.inbox.put(true) }
        func channelInactive(context: ChannelHandlerContext) { self.inbox.put(false) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { self.inbox.put(false) }
    }

    /// Opens a connection, sends, waits for the first bytes, and reads nothing more.
    private func hold(_ text: String, port: Int) async throws -> any Channel {
        let inbox = Inbox<Bool>()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 2048)
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        channel.read()
        _ = await inbox.next()
        return channel
    }

    private static let webSocket = """
        GET /api/v1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """
    /// Twelve at once, of half a megabyte each, which go into no socket's buffer.
    private static let documents = String(repeating: "GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", count: 12)

    @Test(arguments: [Self.webSocket, Self.documents])
    func callersWithoutATokenKeepNoCallerOut(request: String) async throws {
        try await APIBench.with({ $0.limits.clients = 10 }) { api in
            var held: [any Channel] = []
            for _ in 0..<24 { held.append(try await self.hold(request, port: api.port)) }
            for _ in 0..<3 {
                let answer = try await api.ask("GET /api/v1/gateway", token: APIBench.reader)
                #expect(answer.status == 200, "\(answer)")
            }
            for channel in held { try? await channel.close() }
        }
    }

    @Test(arguments: ["GET /docs", "GET /openapi.json", "GET /api/v1/gateway", "GET /nothing", "DELETE /docs"])
    func callersWithoutATokenHaveARate(line: String) async throws {
        try await APIBench.with({ $0.limits.requestsPerSecond = 5 }) { api in
            let asked = String(repeating: APIBench.request(line, isLast: false), count: 60)
            let answer = try await api.send(asked)
            let last = try #require(answer.statuses.last)
            #expect(last == 429 && answer.code == "too_many_attempts", "\(answer.statuses)")
            #expect(answer.statuses.count < 30, "\(answer.statuses)")
            #expect(answer.has("Retry-After"))
            // Those of the same address with a token have their own.
            #expect(try await api.ask("GET /api/v1/gateway", token: APIBench.reader).status == 200)
        }
    }

    @Test func aTargetInAbsoluteFormIsJudgedByItsOwnHost() async throws {
        try await APIBench.with { api in
            let path = "/api/v1/gateway"
            let other = try await api.ask("GET http://evil.example\(path)", token: APIBench.reader)
            #expect(other.status == 403 && other.code == "host_not_allowed", "\(other)")
            let own = try await api.ask(
                "GET http://127.0.0.1\(path)", token: APIBench.reader, headers: ["Host: evil.example"])
            #expect(own.status == 200, "\(own)")
        }
    }
}
