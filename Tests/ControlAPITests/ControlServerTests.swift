import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import Logging
import NIOCore
import NIOPosix
import Testing

/// The admin listener over TCP, as bytes.
@Suite(.timeLimit(.minutes(1))) struct ControlServerTests {
    private static let actions = ControlActions(
        reload: { ControlAnswer(["dry_run": .bool($0), "changes": []]) },
        liveness: { ControlAnswer(["status": "alive"]) },
        readiness: { ControlAnswer(["verbose": .bool($0)]) }, version: { ControlAnswer(["version": "1"]) },
        effectiveConfiguration: { .error(status: 404, code: "not_found", message: "no file") },
        sessions: SessionActions(
            list: { ControlAnswer(["sessions": []]) },
            start: {
                ControlAnswer(status: 201, ["device": .string($0), "app": $1.map { .string($0.rawValue) } ?? .null])
            },
            end: { ControlAnswer(["id": .number($0), "stop": $1.map { .bool($0) } ?? .null]) }),
        plugins: PluginActions(
            list: { ControlAnswer(["plugins": []]) }, inspect: { ControlAnswer(["name": .string($0)]) },
            command: { ControlAnswer(["name": .string($0), "command": .string($1.rawValue)]) },
            trace: { name in
                guard name == "quiz" else { return nil }
                return AsyncStream { input in
                    input.yield("{\"line\":1}\n")
                    input.yield("{\"line\":2}\n")
                    input.finish()
                }
            }),
        handlers: HandlerActions(
            list: { ControlAnswer(["handlers": []]) },
            command: { ControlAnswer(["name": .string($0), "command": .string($1.rawValue), "kept": .bool($2)]) }))

    private static var admission: Admission {
        let limits = ConnectionLimits(total: 32, perAddress: 32)
        return Admission(senders: limits, setup: limits, admin: limits)
    }

    private func withServer(_ body: (Int) async throws -> Void) async throws {
        let listening = Inbox<Int?>()
        let server = ControlServer(
            configuration: AdminConfiguration { $0.listen = .tcp(ListenAddress(host: "127.0.0.1", port: 0)) },
            stateDirectory: "", actions: Self.actions, admission: Self.admission,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { listening.put($0) })
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

    @Test func routesAnswer() async throws {
        try await self.withServer { port in
            #expect(
                try await self.ask("POST /api/v1/reload", port: port).hasSuffix(
                    #"{"dry_run":false,"changes":[]}"# + "\n"))
            let dryRun = try await self.ask("POST /api/v1/reload?dry_run=true", port: port)
            #expect(dryRun.contains(#""dry_run":true"#))
            #expect(dryRun.lowercased().contains("content-type: application/json"))
            #expect(try await self.ask("POST /api/v1/reload?dry_run=perhaps", port: port).hasPrefix("HTTP/1.1 400"))
            #expect(try await self.ask("GET /livez", port: port).contains("alive"))
            #expect(try await self.ask("GET /readyz", port: port).contains(#""verbose":false"#))
            #expect(try await self.ask("GET /readyz?verbose", port: port).contains(#""verbose":true"#))
            #expect(try await self.ask("GET /version", port: port).contains(#""version":"1""#))
            #expect(try await self.ask("GET /api/v1/config/effective", port: port).hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test func sessionsAreStartedListedAndEnded() async throws {
        try await self.withServer { port in
            #expect(try await self.ask("GET /api/v1/sessions", port: port).contains(#"{"sessions":[]}"#))
            let started = try await self.ask(
                "POST /api/v1/sessions", port: port, body: #"{"device": "hall", "app": "CC1AD845"}"#)
            #expect(started.hasPrefix("HTTP/1.1 201"))
            #expect(started.contains(#"{"device":"hall","app":"CC1AD845"}"#))
            let configured = try await self.ask("POST /api/v1/sessions", port: port, body: #"{"device": "hall"}"#)
            #expect(configured.hasPrefix("HTTP/1.1 201") && configured.contains(#""app":null"#))
            for (query, stop) in [("", "null"), ("?stop=true", "true"), ("?stop=false", "false")] {
                let ended = try await self.ask("DELETE /api/v1/sessions/3\(query)", port: port)
                #expect(ended.contains(#"{"id":3,"stop":\#(stop)}"#), "\(ended)")
            }
            let no = try await self.ask("DELETE /api/v1/sessions/3?stop=perhaps", port: port)
            #expect(no.hasPrefix("HTTP/1.1 400"))
            #expect(try await self.ask("DELETE /api/v1/sessions/x", port: port).hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test(arguments: [
        ("", "no JSON"), ("[]", "JSON object"), (#"{"app": "CC1AD845"}"#, "device"),
        (#"{"device": "hall", "app": null}"#, "app"),
        (#"{"device": "", "app": "CC1AD845"}"#, "device"), (#"{"device": "hall", "app": "cast"}"#, "app"),
        (#"{"device": "hall", "app": "CC1AD845", "ap": 1}"#, "no member ap"),
    ])
    func whatIsNoSessionIsRefused(body: String, message: String) async throws {
        try await self.withServer { port in
            let answer = try await self.ask("POST /api/v1/sessions", port: port, body: body)
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(answer.contains("bad_request") && answer.contains(message), "\(answer)")
        }
    }

    @Test func aBodyWithoutEndIsRefused() async throws {
        try await self.withServer { port in
            let body = #"{"device": ""# + String(repeating: "x", count: 20_000)
            let answer = try await self.ask("POST /api/v1/sessions", port: port, body: body)
            #expect(answer.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func handlersAreListedAndSwitched() async throws {
        try await self.withServer { port in
            #expect(try await self.ask("GET /api/v1/handlers", port: port).contains(#"{"handlers":[]}"#))
            for command in ["enable", "disable", "reset"] {
                let answer = try await self.ask(
                    "POST /api/v1/handlers/\(command)?name=channel%20urn:x-cast:a.b", port: port)
                #expect(
                    answer.contains(#"{"name":"channel urn:x-cast:a.b","command":"\#(command)","kept":false}"#),
                    "\(answer)")
            }
            let kept = try await self.ask("POST /api/v1/handlers/disable?name=media&keep=true", port: port)
            #expect(kept.contains(#""kept":true"#))
            for bad in ["disable", "disable?name=", "disable?name=media&keep=perhaps", "reset?name=media&keep=true"] {
                #expect(
                    try await self.ask("POST /api/v1/handlers/\(bad)", port: port).hasPrefix("HTTP/1.1 400"), "\(bad)")
            }
            #expect(
                try await self.ask("POST /api/v1/handlers/explode?name=media", port: port).hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test func pluginsAreReached() async throws {
        try await self.withServer { port in
            #expect(try await self.ask("GET /api/v1/plugins", port: port).contains(#""plugins":[]"#))
            #expect(try await self.ask("GET /api/v1/plugins/quiz", port: port).contains(#""name":"quiz""#))
            for command in ["restart", "enable", "disable"] {
                let answer = try await self.ask("POST /api/v1/plugins/a.b/\(command)", port: port)
                #expect(answer.contains("{\"name\":\"a.b\",\"command\":\"\(command)\"}"))
            }
            #expect(try await self.ask("POST /api/v1/plugins/quiz/explode", port: port).hasPrefix("HTTP/1.1 404"))
            let trace = try await self.ask("GET /api/v1/plugins/quiz/trace", port: port)
            #expect(trace.contains("{\"line\":1}\n"))
            #expect(trace.contains("{\"line\":2}\n"))
            #expect(trace.lowercased().contains("content-type: application/x-ndjson"))
            #expect(try await self.ask("GET /api/v1/plugins/other/trace", port: port).hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test func errorsHaveOneShape() async throws {
        try await self.withServer { port in
            for request in ["GET /nothing", "GET /api/v1/reload", "DELETE /livez"] {
                let answer = try await self.ask(request, port: port)
                let body = answer.components("\r\n\r\n")
                let error = try #require(try JSONReader.read(body).objectValue?.object("error"))
                #expect(error.string("code") != nil, "\(answer)")
                #expect(error.string("message") != nil)
                #expect(answer.hasPrefix("HTTP/1.1 4"))
            }
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
