import CastwayTestSupport
import Dispatch
import GatewayConfig
import HTTPFetching
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(1))) struct WebhookReplyTests {
    private func ask(
        within time: TimeAmount = .seconds(20), _ script: @escaping ScriptedBackEnd.Script
    ) async throws -> Result<WebhookReply, WebhookReplyFailure> {
        let backEnd = try await ScriptedBackEnd(script: script)
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        return await self.ask(bench, within: time)
    }

    private func ask(
        _ bench: WebhookBench, within time: TimeAmount = .seconds(20)
    ) async -> Result<WebhookReply, WebhookReplyFailure> {
        do throws(WebhookReplyFailure) {
            return .success(
                try await bench.carrier.ask(id: "msg_1", body: ByteBuffer(string: "{}"), deadline: .now() + time))
        } catch {
            return .failure(error)
        }
    }

    @Test func theBodyIsTheReply() async throws {
        let reply = try await self.ask { request, answer in
            let isSigned = request.head.headers["webhook-signature"].first?.hasPrefix("v1,") == true
            answer.send(isSigned ? 200 : 400, "content-type: application/json\r\n", body: #"{"type":"WELCOME"}"#)
        }
        #expect(
            reply
                == .success(
                    WebhookReply(body: ByteBuffer(string: #"{"type":"WELCOME"}"#), contentType: "application/json")))
    }

    @Test func aReplyMayComeInPiecesUpToTheLimit() async throws {
        let reply = try await self.ask { _, answer in
            answer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            for _ in 0..<16 { answer.send("1000\r\n\(String(repeating: "x", count: 4096))\r\n") }
            answer.send("0\r\n\r\n")
        }
        #expect(try reply.get().body == ByteBuffer(repeating: 0x78, count: 65536))
    }

    @Test(arguments: [204, 200])
    func anEmptyAnswerIsNoReply(status: Int) async throws {
        let reply = try await self.ask { _, answer in
            answer.send("HTTP/1.1 \(status) x\r\n\(status == 204 ? "" : "content-length: 0\r\n")\r\n")
        }
        #expect(try reply.get().body.readableBytes == 0)
    }

    @Test func failuresAreTold() async throws {
        #expect(try await self.ask { $1.send(500, body: "x") } == .failure(.refused(status: 500)))
        #expect(try await self.ask { $1.send(302) } == .failure(.refused(status: 302)))
        #expect(
            try await self.ask { $1.send(200, body: String(repeating: "x", count: 65537)) } == .failure(.tooBig))
        #expect(try await self.ask(within: .milliseconds(200)) { _, _ in } == .failure(.late))
        #expect(try await self.ask(within: .zero) { $1.send(200) } == .failure(.late))
        let slow = try await self.ask(within: .milliseconds(200)) {
            $1.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")
        }
        #expect(slow == .failure(.late))
        let broken = try await self.ask {
            $1.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")
            $1.close()
        }
        #expect(broken == .failure(.unavailable("the answer broke off")))
    }

    @Test func aQuestionThatIsTakenBackLeavesNothing() async throws {
        let backEnd = try await ScriptedBackEnd { _, _ in }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        let question = Task { await self.ask(bench) }
        _ = await backEnd.requests.next()
        question.cancel()
        #expect(await question.value == .failure(.cancelled))
        #expect(await backEnd.ended.next() == 1)
        // One that is cancelled before it begins ends too.
        let never = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await self.ask(bench)
        }
        #expect(await never.value == .failure(.cancelled))
    }

    @Test func anAttemptIsGoneWhenItsTimeIsOverThoughTheLookUpIsNot() async throws {
        let held = DispatchSemaphore(value: 0)
        var surroundings = WebhookClient.Surroundings()
        surroundings.resolver = HostResolver { _ throws(HostResolver.NotFound) in
            held.wait()
            return []
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = try WebhookClient(
            .init(name: "b", url: "https://backend.test/", secret: .init(WebhookBench.secret)), version: "1",
            group: group, surroundings: surroundings)
        defer { held.signal() }
        weak var attempt: WebhookAttempt?
        let trace = await withCheckedContinuation { continuation in
            let request = WebhookRequest(
                id: "msg_1", body: ByteBuffer(), deadline: .now() + .milliseconds(100))
            attempt = client.send(request) { continuation.resume(returning: $0) }
        }
        #expect(throws: WebhookFailure.late("no answer from https://backend.test:443 in time")) {
            try trace.result.get()
        }
        // The loop lets it go after the completion.
        try await group.any().submit {}.get()
        #expect(attempt == nil)
        client.close()
        try await group.shutdownGracefully()
    }

    @Test func noMoreThanSoManyQuestionsAreUnderWay() async throws {
        let backEnd = try await ScriptedBackEnd { _, _ in }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        let results = Inbox<Result<WebhookReply, WebhookReplyFailure>>()
        var questions: [WebhookAttempt] = []
        for number in 1...WebhookCarrier.mostQuestions {
            let question = bench.carrier.ask(
                id: "msg_\(number)", body: ByteBuffer(), deadline: .distantFuture
            ) { results.put($0) }
            questions.append(try #require(question))
        }
        #expect(await self.ask(bench) == .failure(.unavailable("256 questions are under way already")))
        // Deliveries have connections of their own.
        for _ in 1...WebhookCarrier.mostQuestions { _ = await backEnd.requests.next() }
        async let outcome = bench.carry()
        #expect(await backEnd.requests.next()?.head.headers["webhook-id"] == ["msg_1"])
        for question in questions { question.cancel() }
        for _ in questions { #expect(await results.next() == .failure(.cancelled)) }
        bench.carrier.close()
        _ = await outcome
    }

    @Test func anAnswerToAQuestionResumesWhatWaits() async throws {
        let isBusy = Mutex(true)
        let backEnd = try await ScriptedBackEnd { _, answer in answer.send(isBusy.withLock { $0 } ? 503 : 200) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/")
        let resumed = Inbox<Int>()
        bench.carrier.begin { resumed.put(1) }
        #expect(await bench.carry() != .delivered)
        #expect(await self.ask(bench) == .failure(.refused(status: 503)))
        isBusy.withLock { $0 = false }
        _ = try await self.ask(bench).get()
        #expect(await resumed.next() == 1)
    }
}
