import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayOperations
import Logging
import NIOCore
import NIOPosix
import Testing

/// The admin listener over TCP, as bytes.
@Suite(.timeLimit(.minutes(1))) struct ControlServerTests {
    private static let probes = ControlProbes(
        liveness: { ControlAnswer(["status": "alive"]) },
        readiness: { ControlAnswer(["verbose": .bool($0)]) }, version: { ControlAnswer(["version": "1"]) },
        trace: { name in
            guard name == "quiz two" else { return nil }
            return AsyncStream { input in
                input.yield("{\"line\":1}\n")
                input.yield("{\"line\":2}\n")
                input.finish()
            }
        })

    private static var admission: Admission {
        let limits = ConnectionLimits(total: 32, perAddress: 32)
        return Admission(senders: limits, setup: limits, admin: limits)
    }

    private func withServer(_ body: (Int) async throws -> Void) async throws {
        let listening = Inbox<Int?>()
        let server = ControlServer(
            configuration: AdminConfiguration { $0.listen = .tcp(ListenAddress(host: "127.0.0.1", port: 0)) },
            stateDirectory: "", catalogue: OperationCatalogue([Echo(), Look()]), probes: Self.probes,
            admission: Self.admission, on: { MultiThreadedEventLoopGroup.singleton },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onListening: { listening.put($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await listening.next() ?? nil)
            try await body(port)
            group.cancelAll()
        }
    }

    private func ask(
        _ request: String, port: Int, headers: [String] = ["Host: 127.0.0.1"], body: String = ""
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let lines =
                [request + " HTTP/1.1"] + headers + [
                    "Content-Length: \(body.utf8.count)", "Connection: close", "", body,
                ]
            try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n")))
            var answer = ByteBuffer()
            for try await var piece in inbound { answer.writeBuffer(&piece) }
            return String(buffer: answer)
        }
    }

    @Test func probesAnswer() async throws {
        try await self.withServer { port in
            #expect(try await self.ask("GET /livez", port: port).contains("alive"))
            #expect(try await self.ask("GET /readyz", port: port).contains(#""verbose":false"#))
            #expect(try await self.ask("GET /readyz?verbose", port: port).contains(#""verbose":true"#))
            #expect(try await self.ask("GET /version", port: port).contains(#""version":"1""#))
            let trace = try await self.ask("GET /api/v1/plugins/quiz%20two/trace", port: port)
            #expect(trace.contains("{\"line\":1}\n"))
            #expect(trace.contains("{\"line\":2}\n"))
            #expect(trace.lowercased().contains("content-type: application/x-ndjson"))
            #expect(try await self.ask("GET /api/v1/plugins/other/trace", port: port).hasPrefix("HTTP/1.1 404"))
        }
    }

    /// The keys of an input come from the path and the query, or from the path and the body.
    @Test(arguments: [
        ("GET /api/v1/things/a%20b", "", #"{"thing":"a b","depth":1,"whole":false}"#),
        ("GET /api/v1/things/a%2Fb?depth=7&whole", "", #"{"thing":"a/b","depth":7,"whole":true}"#),
        ("GET /api/v1/things/5?whole=false", "", #"{"thing":"5","depth":1,"whole":false}"#),
        ("GET /api/v1/things/x?note=%22a+b%2Bc%22", "", #"{"thing":"x","depth":1,"whole":false,"note":"a b+c"}"#),
        ("GET /api/v1/things/x?note=%22a%22", "", #"{"thing":"x","depth":1,"whole":false,"note":"a"}"#),
        ("GET /api/v1/things/x?note=%7B%22a%22:1%7D", "", #"{"thing":"x","depth":1,"whole":false,"note":{"a":1}}"#),
        ("POST /api/v1/things/x", #"{"note":"a"}"#, #"{"thing":"x","depth":1,"whole":false,"note":"a"}"#),
        ("POST /api/v1/things/x", "", #"{"thing":"x","depth":1,"whole":false}"#),
        ("POST /api/v1/things/x", #"{"depth":3,"whole":true}"#, #"{"thing":"x","depth":3,"whole":true}"#),
    ])
    func inputsAreRead(request: String, body: String, answer: String) async throws {
        try await self.withServer { port in
            let said = try await self.ask(request, port: port, body: body)
            #expect(said.contains(answer), "\(said)")
            #expect(said.hasPrefix(request.hasPrefix("POST") ? "HTTP/1.1 201" : "HTTP/1.1 200"))
            #expect(said.lowercased().contains("content-type: application/json"))
        }
    }

    @Test(arguments: [
        ("GET /api/v1/things/x?depth=seven", "", 422, "invalid_input", #""pointer":"/depth""#),
        ("GET /api/v1/things/x?depth=99", "", 422, "invalid_input", #""pointer":"/depth""#),
        ("GET /api/v1/things/x?whole=perhaps", "", 422, "invalid_input", #""pointer":"/whole""#),
        ("GET /api/v1/things/x?note=word", "", 422, "invalid_input", "'note' must be JSON, not 'word'"),
        ("GET /api/v1/things/x?note=", "", 422, "invalid_input", #""pointer":"/note""#),
        ("GET /api/v1/things/x?dept=1", "", 422, "invalid_input", "did you mean 'depth'?"),
        ("GET /api/v1/things/x?depth=1&depth=2", "", 400, "bad_request", "twice"),
        ("GET /api/v1/things/x?thing=y", "", 400, "bad_request", "twice"),
        ("GET /api/v1/things/%ff", "", 400, "bad_request", "UTF-8"),
        ("POST /api/v1/things/x?depth=3", "", 400, "bad_request", "in the body"),
        ("GET /api/v1/things/x", #"{"depth":3}"#, 400, "bad_request", "in the query"),
        ("POST /api/v1/things/x", #"{"depth":3,"depth":4}"#, 422, "invalid_input", "twice"),
        ("POST /api/v1/things/x", "[]", 400, "bad_request", "JSON object"),
        ("POST /api/v1/things/x", "{", 400, "bad_request", "no JSON"),
        ("POST /api/v1/things/x", #"{"depth":"3"}"#, 422, "invalid_input", #""pointer":"/depth""#),
        ("POST /api/v1/things/x", #"{"depth":null}"#, 422, "invalid_input", #""pointer":"/depth""#),
        ("POST /api/v1/things/x", #"{"whole":1,"depth":0}"#, 422, "invalid_input", "2 problems"),
        ("POST /api/v1/things/x", #"{"thing":"y"}"#, 400, "bad_request", "'thing' stands in the path and in the body"),
        ("POST /api/v1/things/missing", "{}", 404, "unknown_thing", "no thing"),
        ("GET /nothing", "", 404, "not_found", "nothing at"),
        ("PUT /api/v1/things/x", "", 405, "method_not_allowed", "GET, HEAD, POST"),
        ("DELETE /livez", "", 405, "method_not_allowed", "takes GET, HEAD"),
    ])
    func refusalsAreProblems(request: String, body: String, status: Int, code: String, text: String) async throws {
        try await self.withServer { port in
            let answer = try await self.ask(request, port: port, body: body)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            #expect(answer.lowercased().contains("content-type: application/problem+json"))
            let problem = try #require(try JSONReader.read(answer.components("\r\n\r\n")).objectValue)
            #expect(problem.string("code") == code)
            #expect(problem.int("status") == status)
            #expect(problem.string("detail")?.isEmpty == false)
            #expect(answer.contains(text), "\(answer)")
        }
    }

    @Test func failuresOfDevicesAreToldInTheCallersLanguage() async throws {
        try await self.withServer { port in
            for (languages, language, text) in [
                ("es-MX, en;q=0.5", "es", "no hay nada cargado"), ("de", "de", "es ist nichts geladen"),
                ("nl", "en", "nothing is loaded"),
            ] {
                let answer = try await self.ask(
                    "POST /api/v1/things/lost", port: port,
                    headers: ["Host: 127.0.0.1", "Content-Type: application/json", "Accept-Language: \(languages)"],
                    body: "{}")
                #expect(answer.hasPrefix("HTTP/1.1 409"), "\(answer)")
                #expect(answer.lowercased().contains("content-language: \(language)\r\n"), "\(answer)")
                let problem = try #require(try JSONReader.read(answer.components("\r\n\r\n")).objectValue)
                #expect(problem.string("localized_description") == text)
                #expect(problem.string("code") == "no_media_session" && problem.int("cast_code") == 32)
                #expect(problem.string("detail") == "'lost' plays nothing")
            }
            let plain = try await self.ask("POST /api/v1/things/lost", port: port, body: "{}")
            #expect(!plain.lowercased().contains("content-language") && !plain.contains("localized_description"))
        }
    }

    @Test func documentsAreServed() async throws {
        try await self.withServer { port in
            let document = try await self.ask("GET /openapi.json", port: port)
            #expect(document.lowercased().contains("content-type: application/json"))
            let json = try #require(try JSONReader.read(document.components("\r\n\r\n")).objectValue)
            #expect(
                json.object("paths")?.members.map(\.name) == [
                    "/api/v1/events", "/api/v1/socket", "/api/v1/state", "/api/v1/things/{thing}",
                ])
            #expect(
                json.object("paths")?.object("/api/v1/events")?.object("get")?.object("responses")?.object("200")?
                    .object("content")?["text/event-stream"] != nil)
            // Callers of this listener show no token.
            #expect(json["security"] == nil && !document.contains("\"401\""))
            let page = try await self.ask("GET /docs", port: port)
            #expect(page.contains("Content-Security-Policy: default-src 'none'; style-src 'nonce-"))
            #expect(page.contains("thing.echo"))
            #expect(page.contains("/api/v1/events") && page.contains("text/event-stream"))
        }
    }

    @Test func methodsAreTold() async throws {
        try await self.withServer { port in
            let options = try await self.ask("OPTIONS /api/v1/things/x", port: port)
            #expect(options.hasPrefix("HTTP/1.1 204") && options.contains("Allow: GET, HEAD, POST\r\n"))
            let head = try await self.ask("HEAD /api/v1/things/x", port: port)
            #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
            let put = try await self.ask("PUT /api/v1/things/x", port: port)
            #expect(put.contains("Allow: GET, HEAD, POST\r\n"))
        }
    }

    @Test(arguments: [("text/plain", "415"), ("application/json", "201"), ("application/json; charset=utf-8", "201")])
    func bodiesAreSaidToBeJSON(type: String, status: String) async throws {
        try await self.withServer { port in
            let answer = try await self.ask(
                "POST /api/v1/things/x", port: port, headers: ["Host: 127.0.0.1", "Content-Type: \(type)"], body: "{}")
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
        }
    }

    @Test func aBodyWithoutEndIsRefused() async throws {
        try await self.withServer { port in
            let body = #"{"thing": ""# + String(repeating: "x", count: (1 << 20) + 1000)
            let answer = try await self.ask("POST /api/v1/things/x", port: port, body: body)
            #expect(answer.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test(arguments: [
        (["Host: gateway.example"], false), (["Host: localhost"], true), (["Host: localhost:9095"], true),
        (["Host: [::1]:9095"], true), (["Host: 127.0.0.1", "Origin: http://evil.example"], false),
        (["Host: [::1]"], true), (["Host: [::1]:"], true), (["Host: [::1].evil"], false),
        (["Host: [::1]evil.example:80"], false), (["Host: [::1]:80.evil"], false), (["Host: [127.0.0.1]"], false),
        (["Host: 127.0.0.1:80.evil"], false), (["Host: localhost:x"], false), (["Host: localhost:99999"], false),
        (["Host: localhost.evil"], false), (["Host: [::1%25evil]"], false), (["Host: "], false),
        (["Host: 127.0.0.1", "Origin: null"], false), (["Host: 127.0.0.1", "Origin: http://127.0.0.1"], true),
    ])
    func pagesAreKeptAway(headers: [String], isAllowed: Bool) async throws {
        try await self.withServer { port in
            let answer = try await self.ask("GET /livez", port: port, headers: headers)
            #expect(answer.hasPrefix("HTTP/1.1 200") == isAllowed, "\(answer)")
            if !isAllowed { #expect(answer.contains("not_allowed")) }
        }
    }
}

extension String {
    /// What stands behind a separator.
    fileprivate func components(_ separator: String) -> String {
        self.firstRange(of: separator).map { String(self[$0.upperBound...]) } ?? ""
    }
}

/// What both operations of these tests take.
private struct ThingInput: OperationInput {
    var thing = ""
    var depth = 1
    var isWhole = false
    var note: JSONValue?

    static let keys: [Key] = [
        .required("thing", \.thing, .text(), "Which thing"), Key("depth", \.depth, .integer(1...9), "How deep"),
        Key("whole", \.isWhole, .boolean, "Whether all of it"),
        .optional("note", \.note, .json, "What is said besides"),
    ]

    init(blank: ConfigBlank) {}

    var json: JSONObject {
        var json: JSONObject = [
            "thing": .string(self.thing), "depth": .number(self.depth), "whole": .bool(self.isWhole),
        ]
        if let note { json["note"] = note }
        return json
    }
}

/// Answers what it was asked, by POST.
private struct Echo: GatewayOperation {
    static let name: OperationName = "thing.echo"
    static let route = OperationRoute(.post, "/things/{thing}")
    static let scope = OperationScope.control
    static let reach = OperationReach.anyone
    static let summary = "Says what it was told"
    static let result = OperationResult("What was said", status: 201, [])

    func perform(_ input: ThingInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard input.thing != "missing" else { throw .missing("unknown_thing", "there is no thing 'missing'") }
        guard input.thing != "lost" else {
            throw OperationProblem(deviceFailure: .noMediaSession, "'lost' plays nothing")
        }
        return input.json
    }
}

/// Answers what it was asked, by GET.
private struct Look: GatewayOperation {
    static let name: OperationName = "thing.get"
    static let route = OperationRoute(.get, "/things/{thing}")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Says what it was told"
    static let result = OperationResult("What was said", [])

    func perform(_ input: ThingInput, for caller: Caller) async throws(OperationProblem) -> JSONObject { input.json }
}
