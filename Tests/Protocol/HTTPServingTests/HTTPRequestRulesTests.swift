import HTTPServing
import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPServing

/// What RFC 9110 and 9112 say of heads, byte by byte.
@Suite(.timeLimit(.minutes(1))) struct HTTPRequestRulesTests {
    private func answer(_ request: String, until end: String) async throws -> String {
        var answer = ""
        try await ListenerBench.with { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(request)
                answer = await peer.read(until: end)
            }
        }
        return answer
    }

    @Test func aBodyThatIsWaitedForIsAskedFor() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        let answer = try await self.answer(head, until: "200")
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"), "\(answer)")
        // A body that would be refused is not asked for, and HTTP/1.0 knows no such answer.
        let long = try await self.answer(
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999\r\n\r\n", until: "}")
        #expect(long.hasPrefix("HTTP/1.1 413"), "\(long)")
        let old = try await self.answer(
            "POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", until: "200")
        #expect(!old.contains(" 100 "), "\(old)")
    }

    @Test(arguments: ["Host: a\r\nHost: b", "Host: a\r\nhost: a", "Host: a\r\nOrigin: null\r\nOrigin: http://a"])
    func aRequestHasOneHostAndOneOriginAtMost(lines: String) async throws {
        let answer = try await self.answer("GET / HTTP/1.1\r\n\(lines)\r\n\r\n", until: "}")
        #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("bad_request"), "\(answer)")
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func aTargetInAbsoluteFormIsThePathThatItHas() async throws {
        let answer = try await self.answer("GET http://b/missing HTTP/1.1\r\nHost: a\r\n\r\n", until: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 404"), "\(answer)")
    }

    @Test(arguments: [
        ("http://b.example:80/x?y", "b.example:80", "/x?y"), ("HTTPS://b", "b", "/"), ("http://b?x", "b", "/?x"),
        ("http:///x", "", "/x"), ("/http://b/", "a", "/http://b/"), ("*", "a", "*"), ("b:80", "a", "b:80"),
        ("ftp://b/x", "a", "ftp://b/x"),
    ])
    func theAuthorityOfATargetTakesThePlaceOfTheHost(target: String, host: String, path: String) {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: ["Host": "a"])
        head.takeAuthority()
        #expect(head.headers["host"] == [host] && head.uri == path)
    }

    @Test func aPeerOfHTTP10GetsNoChunks() async throws {
        let answer = try await self.answer("GET /long HTTP/1.0\r\n\r\n", until: "aaaa")
        #expect(answer.hasPrefix("HTTP/1.0 200") && answer.contains("\r\n\r\naaaa"), "\(answer.prefix(300))")
        #expect(!answer.lowercased().contains("transfer-encoding"))
        #expect(answer.lowercased().contains("connection: close"))
    }
}
