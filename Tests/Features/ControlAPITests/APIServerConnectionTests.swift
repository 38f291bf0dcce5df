import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayOperations
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Testing

/// What callers of the API may do with their connections: the listener itself, with short times.
@Suite(.timeLimit(.minutes(1))) struct APIServerConnectionTests {
    /// What a listener offers beside operations, to be tried out.
    private struct Routes: APIRoutes {
        static let secret = "the password of /etc/castway is 12345"

        struct Fault: Error, CustomStringConvertible {
            let description = Routes.secret
        }

        let pages = ["/fault", "/long"]
        let isOpen = true
        /// Learns that a long answer could not be written to its end.
        let cutOff: Inbox<Bool>

        func add(to router: Router<CallerContext>) {
            router.get("/fault") { _, _ -> Response in throw Fault() }
            router.get("/long") { [cutOff] _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        do {
                            while true { try await writer.write(ByteBuffer(repeating: 0x61, count: 1 << 20)) }
                        } catch {
                            cutOff.put(true)
                            throw error
                        }
                    })
            }
        }
    }

    /// Takes a text, in the body.
    private struct Say: GatewayOperation {
        struct Input: OperationInput {
            var text = ""
            static let keys: [Key] = [.required("text", \.text, .text(maximumBytes: 64), "What is said")]
            init(blank: ConfigBlank) {}
        }

        static let name: OperationName = "thing.say"
        static let route = OperationRoute(.post, "/things")
        static let scope = OperationScope.read
        static let reach = OperationReach.anyone
        static let summary = "Says what it was told"
        static let result = OperationResult("What was said", [.init("text", .text, "The text")])

        func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
            ["text": .string(input.text)]
        }
    }

    private struct Bench {
        let port: Int
        let log: LogRecorder
        let cutOff: Inbox<Bool>

        /// What comes until the listener closes.
        func send(_ text: String) async throws -> String {
            var answer = ""
            try await HTTPPeer.connect(to: self.port) { peer in
                peer.send(text)
                answer = await peer.readToEnd()
            }
            return answer
        }
    }

    private static func with(idle: TimeAmount = .seconds(30), _ body: (Bench) async throws -> Void) async throws {
        let limits = ConnectionLimits(total: 32, perAddress: 32)
        var configuration = APIConfiguration()
        configuration.listen = ListenAddress(host: "127.0.0.1", port: 0)
        configuration.limits.body = 2048
        var settings = APIServer.Settings(configuration, certificate: nil)
        settings.requestTimeout = .milliseconds(500)
        settings.idleTimeout = idle
        let (listening, cutOff, log) = (Inbox<Bool>(), Inbox<Bool>(), LogRecorder())
        let server = APIServer(settings, logger: log.logger("API"), onListening: { listening.put(true) })
        let running = server.serving(
            OperationCatalogue([Say()]), routes: [Routes(cutOff: cutOff)],
            authority: FakeAuthority(takesStrangers: true),
            admission: Admission(senders: limits, setup: limits, admin: limits), audit: nil,
            on: { MultiThreadedEventLoopGroup.singleton })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await running.run() }
            _ = await listening.next()
            try await body(Bench(port: try #require(server.port), log: log, cutOff: cutOff))
            group.cancelAll()
        }
    }

    private static func post(_ rest: String) -> String {
        "POST /api/v1/things HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\(rest)"
    }

    private static func statuses(_ answers: String) -> [Int] {
        answers.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
    }

    private static func expectProblem(_ status: Int, _ code: String, in answer: String) {
        #expect(Self.statuses(answer) == [status], "\(answer)")
        #expect(answer.contains(#""code":"\#(code)""#), "\(answer)")
        for header in AnswerHeaders.all {
            #expect(answer.contains("\r\n\(header.name): \(header.value)\r\n"), "\(answer)")
        }
        #expect(answer.lowercased().contains("\r\ncontent-type: application/problem+json\r\n"), "\(answer)")
    }

    // MARK: Faults

    @Test func aFaultOfTheGatewayIsTheLogsAlone() async throws {
        try await Self.with { bench in
            let answer = try await bench.send(
                "GET /fault HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            Self.expectProblem(500, "internal_error", in: answer)
            #expect(!answer.contains(Routes.secret) && !answer.contains("password"))
            let line = try #require(bench.log.entries.first { "\($0)".contains(Routes.secret) })
            let id = "\(try #require(line.metadata["id"]))"
            #expect(line.level == .error && answer.contains(#""id":"\#(id)""#), "\(answer)")
        }
    }

    // MARK: Times

    @Test(arguments: [
        "GET /api/v1/things HTTP/1.1\r\nHost: 127.0.0.1\r\n", "G", Self.post("Content-Length: 100\r\n\r\n{"),
        Self.post("Transfer-Encoding: chunked\r\n\r\n5\r\n{\"tex\r\n"),
    ])
    func aRequestThatComesTooSlowlyIsTold(_ beginning: String) async throws {
        try await Self.with { bench in
            Self.expectProblem(408, "request_too_slow", in: try await bench.send(beginning))
        }
    }

    @Test func aConnectionIsKeptAndThenClosedWithoutAWord() async throws {
        try await Self.with(idle: .milliseconds(500)) { bench in
            let ask = Self.post("Content-Length: 14\r\n\r\n{\"text\": \"hi\"}")
            try await HTTPPeer.connect(to: bench.port) { peer in
                for _ in 0..<3 {
                    peer.send(ask)
                    #expect(await peer.read(until: "\"hi\"}").hasPrefix("HTTP/1.1 200"))
                }
                #expect(await peer.readToEnd().trimmingPrefix("\n").isEmpty)
            }
        }
    }

    @Test func whoDoesNotReadAnAnswerIsCutOff() async throws {
        try await Self.with { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                try await peer.goDeaf()
                peer.send("GET /long HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                #expect(await bench.cutOff.next() == true)
            }
        }
    }

    // MARK: Sizes

    @Test(arguments: [
        (Self.post("X: \(String(repeating: "x", count: 20_000))\r\n\r\n"), 431, "headers_too_large"),
        (Self.post("\(String(repeating: "X: 1\r\n", count: 200))\r\n"), 431, "headers_too_large"),
        (Self.post("Content-Length: 2049\r\n\r\n"), 413, "body_too_large"),
        (
            Self.post("Transfer-Encoding: chunked\r\n\r\n800\r\n\(String(repeating: " ", count: 2048))\r\n1\r\n \r\n"),
            413, "body_too_large"
        ),
    ])
    func whatIsTooLongIsTold(request: String, status: Int, code: String) async throws {
        try await Self.with { bench in
            Self.expectProblem(status, code, in: try await bench.send(request))
        }
    }

    // MARK: Order

    @Test func requestsSentAtOnceAreAnsweredInTheirOrder() async throws {
        try await Self.with { bench in
            let texts = (0..<20).map { "{\"text\":\"text-\($0)\"}" }
            let requests = texts.map { Self.post("Content-Length: \($0.utf8.count)\r\n\r\n\($0)") }
            let last = "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
            let answers = try await bench.send(requests.joined() + last)
            #expect(Self.statuses(answers) == Array(repeating: 200, count: 20) + [404])
            let places = texts.compactMap { answers.firstRange(of: $0)?.lowerBound }
            #expect(places.count == 20 && places == places.sorted())
        }
    }
}
