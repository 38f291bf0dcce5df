import HTTPServing
import NIOCore
import Testing

/// What a listener answers itself, below all routes, has the form and the headers of every other answer.
@Suite(.timeLimit(.minutes(1))) struct ListenerAnswerTests {
    private static let limits = HTTPLimits(
        requestTimeout: .milliseconds(300), idleTimeout: .seconds(20), maximumBodyBytes: 1000)
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func expectProblem(_ status: Int, _ code: String, in answer: String) {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains(#""status":\#(status),"code":"\#(code)","detail":""#), "\(answer)")
        for header in AnswerHeaders.all {
            #expect(answer.contains("\r\n\(header.name): \(header.value)\r\n"), "\(answer)")
        }
        #expect(answer.contains("\r\nContent-Type: application/problem+json\r\n"), "\(answer)")
        #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
    }

    @Test(arguments: [
        ("NONSENSE\r\n\r\n", 400, "bad_request"), ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", 400, "bad_request"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "bad_request"),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431, "headers_too_large"),
        ("GET / HTTP/1.1\r\n\(String(repeating: "X: 1\r\n", count: 200))\r\n", 431, "headers_too_large"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n", 413, "body_too_large"),
        ("GET", 408, "request_too_slow"), ("GET / HTTP/1.1\r\nHost: a\r\n", 408, "request_too_slow"),
    ])
    func refusalsAreProblems(request: String, status: Int, code: String) async throws {
        // With and without WebSockets, which change who sees a request first.
        for upgrades: UpgradeDecider? in [nil, { _ in .answer }] {
            try await ListenerBench.with(limits: Self.limits, upgrades: upgrades) { bench in
                try await HTTPPeer.connect(to: bench.port) { peer in
                    peer.send(request)
                    Self.expectProblem(status, code, in: await peer.readToEnd())
                }
            }
        }
    }

    @Test func theyComeBehindTheAnswersToRequestsBefore() async throws {
        try await ListenerBench.with(limits: Self.limits) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(Self.get + Self.get + "NONSENSE\r\n\r\n")
                let answers = await peer.readToEnd()
                let statuses = answers.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
                #expect(statuses == [200, 200, 400], "\(answers)")
            }
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(Self.get)
                #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                peer.send("GET / HT")
                Self.expectProblem(408, "request_too_slow", in: await peer.readToEnd())
            }
        }
    }

    @Test func refusedWebSocketsAreProblemsToo() async throws {
        let refusal = UpgradeRefusal(
            status: 401, problem: #"{"type":"about:blank","status":401,"code":"unauthorized","detail":"no"}"#)
        try await ListenerBench.with(limits: Self.limits, upgrades: { _ in .refuse(refusal) }) { bench in
            for (version, status, code) in [("13", 401, "unauthorized")] {
                try await HTTPPeer.connect(to: bench.port) { peer in
                    peer.send(
                        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            + "Sec-WebSocket-Version: \(version)\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
                    )
                    Self.expectProblem(status, code, in: await peer.readToEnd())
                }
            }
        }
    }
}
