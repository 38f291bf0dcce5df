import CastwayTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(1))) struct WebhookCarrierTests {
    private func outcome(
        timeout: Duration = .seconds(20), _ script: @escaping ScriptedBackEnd.Script
    ) async throws -> DeliveryOutcome {
        let backEnd = try await ScriptedBackEnd(script: script)
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/cast", timeout: timeout) {
            $0.allowsPlaintext = true
        }
        return await bench.carry()
    }

    @Test func aMessageArrivesAsItIs() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(204) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/a%20b/c?d=%2Fe+f&g")
        let body = #"{"a": "\u00e4ö",  "b":1}"#
        #expect(await bench.carry(WebhookBench.message(7, body: body)) == .delivered)
        let request = try #require(await backEnd.requests.next())
        #expect(request.head.method == .POST)
        #expect(request.head.uri == "/a%20b/c?d=%2Fe+f&g")
        #expect(String(buffer: request.body) == body)
        let headers = request.head.headers
        #expect(headers["host"] == ["backend.test:\(backEnd.port)"])
        #expect(headers["content-type"] == ["application/json"])
        #expect(headers["content-length"] == ["\(body.utf8.count)"])
        #expect(headers["user-agent"] == ["Castway/1.2.3"])
        #expect(headers["webhook-id"] == ["msg_7"])
        #expect(headers["webhook-timestamp"] == ["\(WebhookBench.seconds)"])
        #expect(headers["accept-encoding"].isEmpty)
        let signature = WebhookSignature(secrets: [try WebhookSecret(WebhookBench.secret)])
        let expected = try #require(
            signature.header(id: "msg_7", timestamp: WebhookBench.seconds, body: request.body))
        #expect(headers["webhook-signature"] == [expected])
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func successesAreDelivered(status: Int) async throws {
        #expect(try await self.outcome { $1.send(status) } == .delivered)
    }

    @Test(arguments: [301, 302, 307, 308, 400, 401, 403, 404, 408, 409, 413, 422, 500, 501, 505])
    func otherStatusesAreRefused(status: Int) async throws {
        let outcome = try await self.outcome { request, answer in
            answer.send(request.head.uri == "/cast" ? status : 200, "location: /elsewhere\r\n")
        }
        guard case .refused(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.contains("answered \(status)"))
    }

    @Test func goneDisables() async throws {
        let outcome = try await self.outcome { $1.send(410) }
        guard case .gone = outcome else { return #expect(Bool(false), "\(outcome)") }
    }

    @Test(arguments: [
        (429, "retry-after: 7\r\n", Duration.seconds(7)), (503, "retry-after: 999999\r\n", .seconds(86400)),
        (503, "Retry-After: Thu, 01 Jan 2026 00:00:30 GMT\r\n", .seconds(30)), (502, "", nil),
        (504, "retry-after: soon\r\n", nil),
    ])
    func aBusyBackEndIsLeftAlone(status: Int, header: String, pause: Duration?) async throws {
        let outcome = try await self.outcome { $1.send(status, header) }
        guard case .unavailable(let reason, let retryAfter) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.hasSuffix("answered \(status)"))
        #expect(retryAfter == pause)
    }

    @Test func silenceEndsInTime() async throws {
        let outcome = try await self.outcome(timeout: .seconds(1)) { _, _ in }
        guard case .unavailable(let reason, nil) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(reason.hasPrefix("no answer from http://backend.test:") && reason.hasSuffix(" in time"))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-le", "HTTP/1.1 100 Continue\r\n\r\n"])
    func aHeadThatDoesNotEndIsNoAnswer(text: String) async throws {
        let outcome = try await self.outcome(timeout: .seconds(1)) { $1.send(text) }
        #expect(outcome.reason.hasSuffix("in time"))
    }

    @Test func aConnectionThatEndsWithoutAnAnswerIsTriedOnceMore() async throws {
        let backEnd = try await ScriptedBackEnd { request, answer in
            if request.connection == 1 { answer.close() } else { answer.send(200) }
        }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        #expect(await bench.carry() == .delivered)
        let always = try await self.outcome { $1.close() }
        #expect(always.reason.contains("closed the connection"), "\(always)")
        guard case .unavailable = always else { return #expect(Bool(false), "\(always)") }
    }

    @Test func whatIsNoHTTPIsNoAnswer() async throws {
        let outcome = try await self.outcome { $1.send("SSH-2.0-OpenSSH_9.2\r\n") }
        guard case .unavailable(let reason, _) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(reason.contains("no HTTP"))
    }

    @Test func theStatusCountsWhateverBecomesOfTheBody() async throws {
        let slow = try await self.outcome(timeout: .seconds(3)) {
            $1.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")
        }
        #expect(slow == .delivered)
        let broken = try await self.outcome { _, answer in
            answer.send("HTTP/1.1 500 x\r\ncontent-length: 10\r\n\r\nx")
            answer.close()
        }
        #expect(broken.reason.hasSuffix("answered 500"))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
    ])
    func anEndlessAnswerIsCutAndItsConnectionClosed(head: String) async throws {
        let backEnd = try await ScriptedBackEnd { _, answer in
            answer.send(head)
            answer.sendForever(ByteBuffer(repeating: 0x78, count: 16384))
        }
        // Longer than the test may take.
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/", timeout: .seconds(120))
        #expect(await bench.carry() == .delivered)
        #expect(await backEnd.ended.next() == 1)
    }

    @Test func anAnswerUpToTheLimitKeepsItsConnection() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200, body: String(repeating: "x", count: 65536)) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        for _ in 0..<3 { #expect(await bench.carry() == .delivered) }
        for _ in 0..<3 { #expect(await backEnd.requests.next()?.connection == 1) }
        #expect(bench.lookUps == 1 && !bench.lookedUpOnLoop)
    }

    @Test func manyAreUnderWayAtOnce() async throws {
        let waiting = Inbox<ScriptedBackEnd.Answer>()
        let backEnd = try await ScriptedBackEnd { waiting.put($1) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/") { $0.concurrency = 16 }
        await withTaskGroup { group in
            for number in 1...16 {
                group.addTask { #expect(await bench.carry(WebhookBench.message(Int64(number))) == .delivered) }
            }
            // All have come before the first is answered.
            var answers: [ScriptedBackEnd.Answer] = []
            for _ in 1...16 { if let answer = await waiting.next() { answers.append(answer) } }
            for answer in answers { answer.send(200) }
        }
    }

    @Test func nothingListens() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/path?token=geheim", addresses: ["127.0.0.9"])
        let outcome = await bench.carry()
        guard case .unavailable(let reason, nil) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(
            reason == "no connection to http://backend.test:\(backEnd.port) (127.0.0.9): Connection refused")
    }

    @Test func closingEndsWhatIsUnderWay() async throws {
        let backEnd = try await ScriptedBackEnd { _, _ in }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        async let outcome = bench.carry()
        _ = await backEnd.requests.next()
        bench.carrier.close()
        #expect(await outcome == .unavailable("the webhook has ended"))
        #expect(await bench.carry() == .unavailable("the webhook has ended"))
        #expect(await backEnd.ended.next() == 1)
    }

    @Test func nothingStaysOfACarrierThatIsGone() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        weak var client: WebhookClient?
        do {
            let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
            client = bench.carrier.client
            #expect(await bench.carry() == .delivered)
        }
        #expect(await backEnd.ended.next() == 1)
        #expect(client == nil)
    }
}
