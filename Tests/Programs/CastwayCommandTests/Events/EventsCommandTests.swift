import CastwayTestSupport
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import castway

/// The real program: `castway events`, with a gateway that says what a test wants.
@Suite(.timeLimit(.minutes(1))) struct EventsCommandTests {
    /// Answers each connection with the next of its texts and closes it, and tells what it was asked.
    private final class Server: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String
        private let asked: Inbox<String>
        private var request = ""

        init(answer: String, asked: Inbox<String>) {
            self.answer = answer
            self.asked = asked
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.request += String(buffer: Self.unwrapInboundIn(data))
            guard self.request.hasSuffix("\r\n\r\n") else { return }
            self.asked.put(self.request)
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: self.answer)), promise: nil)
            context.close(mode: .output, promise: nil)
        }

        static func with(
            _ answers: [String], _ body: (_ port: Int, _ asked: Inbox<String>) async throws -> Void
        ) async throws {
            let asked = Inbox<String>()
            let remaining = Rest(answers)
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Server(answer: remaining.next(), asked: asked))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            try await body(channel.localAddress?.port ?? 0, asked)
            try await channel.close()
        }
    }

    private final class Rest: Sendable {
        private let answers: Mutex<ArraySlice<String>>

        init(_ answers: [String]) {
            self.answers = Mutex(answers[...])
        }

        func next() -> String { self.answers.withLock { $0.popFirst() } ?? "" }
    }

    private static func stream(_ events: String...) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: 1\n\n" + events.joined()
    }

    private static func event(_ seq: Int, _ data: String) -> String {
        let json =
            #"{"boot":"b","seq":\#(seq),"at":"2026-11-22T08:00:00.123Z","type":"media.status","device":"hall","data":"\#(data)"}"#
        return "data: \(json)\nid: b.\(seq)\n\n"
    }

    private static let synced = "event: synced\ndata: {\"frame\":\"synced\",\"seq\":1}\nid: b.1\n\n"

    @Test func theStateIsShownAndThatIsAll() async throws {
        let answer = Self.stream("event: snapshot\n" + Self.event(1, "paused"), Self.synced)
        try await Server.with([answer]) { port, asked in
            let result = try await CastwayProcess.run(
                "events", "--admin", "127.0.0.1:\(port)", "--type", "media.*", "--device", "hall", "--from", "b.0")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("now") && result.output.contains("media.status"))
            #expect(result.output.contains("hall") && result.output.contains("paused"))
            let request = await asked.next() ?? ""
            #expect(request.hasPrefix("GET /api/v1/events?type=media.%2A&device=hall HTTP/1.1\r\n"), "\(request)")
            #expect(request.contains("Last-Event-ID: b.0\r\n"))
        }
    }

    @Test func aReaderComesBackToWhereItWasAndSaysWhatItMissed() async throws {
        let first = Self.stream(Self.synced, Self.event(2, "one"), ": bookmark\nid: b.7\n\n")
        let second = Self.stream(
            "event: gap\ndata: {\"frame\":\"gap\",\"from\":8,\"to\":9,\"count\":2}\nid: b.9\n\n", Self.event(10, "two"),
            "event: end\ndata: {\"frame\":\"end\",\"reason\":\"too_slow\",\"resume\":\"b.10\"}\nid: b.10\n\n")
        let third = Self.stream(
            "event: resync\ndata: {\"frame\":\"resync\",\"reason\":\"too_old\"}\n\n", Self.event(11, "three"))
        try await Server.with([first, second, third]) { port, asked in
            let process = try CastwayProcess(["events", "--follow", "--admin", "127.0.0.1:\(port)"])
            defer { process.kill() }
            let seen = await process.wait(for: "three")
            #expect(seen.contains("08:00:00.123") && seen.contains("one") && seen.contains("two"))
            #expect(await asked.next()?.contains("Last-Event-ID") == false)
            #expect(await asked.next()?.contains("Last-Event-ID: b.7\r\n") == true)
            #expect(await asked.next()?.contains("Last-Event-ID: b.10\r\n") == true)
            let errors = await process.waitForErrors("not there any more")
            #expect(errors.contains("the gateway was lost") && errors.contains("2 events between 8 and 9 were lost"))
            #expect(errors.contains("read too slowly"))
        }
    }

    @Test func aRefusalIsSaid() async throws {
        let body = #"{"type":"about:blank","status":503,"code":"unavailable","detail":"the gateway has no events"}"#
        let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        try await Server.with([answer]) { port, _ in
            let result = try await CastwayProcess.run("events", "--admin", "127.0.0.1:\(port)")
            #expect(result.status != 0 && result.errors.contains("the gateway has no events"))
        }
        let nowhere = try await CastwayProcess.run("events", "--admin", "127.0.0.1:1")
        #expect(nowhere.status != 0 && nowhere.errors.contains("no gateway answers"))
        #expect(
            try await CastwayProcess.run("events", "--from", "x", "--admin", "127.0.0.1:1").errors.contains("BOOT.SEQ"))
    }

    /// However the bytes are cut, the events are the same.
    @Test func piecesAreReadAsOne() throws {
        let text = ": note\r\nretry: 5\nevent: gap\ndata: a\ndata:b\nid: x.1\n\ndata: ä\n\nid: x.2\n\ndata: lost"
        let bytes = ByteBuffer(string: text)
        for size in 1...bytes.readableBytes {
            var parser = EventStreamParser()
            var events: [EventStreamParser.Event] = []
            var rest = bytes
            while rest.readableBytes > 0 {
                let piece = rest.readSlice(length: min(size, rest.readableBytes)) ?? ByteBuffer()
                let read = parser.add(piece)
                events += try #require(read)
            }
            #expect(events == [.init(name: "gap", data: "a\nb"), .init(name: "message", data: "ä")])
            #expect(parser.lastID == "x.2" && parser.retry == 5)
        }
    }
}
