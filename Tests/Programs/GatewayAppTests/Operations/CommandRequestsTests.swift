import CastWire
import GatewayConfig
import GatewayOperations
import ServiceLifecycle
import Synchronization
import SystemPrimitives
import Testing

@Suite(.timeLimit(.minutes(1))) struct CommandRequestsTests {
    /// A command that goes on until it is let go.
    private struct Move: GatewayOperation {
        struct Input: OperationInput {
            var device = ""
            var isAsked: Bool?
            static let keys: [Key] = [
                .required("device", \.device, .text(maximumBytes: 20), "The device"),
                .optional("asked", \.isAsked, .boolean, "Whether the device is asked"),
            ]
            init(blank: ConfigBlank) {}
        }

        static let name: OperationName = "thing.move"
        static let route = OperationRoute(.post, "/things/move")
        static let scope = OperationScope.control
        static let reach = OperationReach.anyone
        static let isCommand = true
        static let summary = "Moves"
        static let result = OperationResult("What came", [.init("count", .integer, "How often it was done")])

        let stage: Stage

        func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
            if input.isAsked == true { CommandTrace.current?.sent() }
            let count = self.stage.begin()
            for await _ in self.stage.gate {}
            if Task.isCancelled { throw OperationProblem("cancelled", status: 503, "taken back") }
            return ["count": .number(count)]
        }
    }

    /// Lets commands go, and says when one has begun.
    private final class Stage: Sendable {
        let gate: AsyncStream<Never>
        private let open: AsyncStream<Never>.Continuation
        let begun: AsyncStream<Int>
        private let beginning: AsyncStream<Int>.Continuation
        private let count = Mutex(0)

        init() {
            (self.gate, self.open) = AsyncStream.makeStream()
            (self.begun, self.beginning) = AsyncStream.makeStream()
        }

        func begin() -> Int {
            let count = self.count.withLock { count in
                count += 1
                return count
            }
            self.beginning.yield(count)
            return count
        }

        func letGo() { self.open.finish() }
    }

    private let stage = Stage()

    private func with(
        _ body: @Sendable (OperationCatalogue, CommandRequests) async throws -> Void
    ) async throws {
        let requests = CommandRequests(
            run: "t",
            clock: .init(now: { .zero }, time: { 100 }, sleep: { _ in for await _ in AsyncStream<Never>.never {} }))
        let catalogue = OperationCatalogue([Move(stage: self.stage)], requests: requests)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await requests.run() }
            try await body(catalogue, requests)
            group.cancelAll()
        }
    }

    private static func options(wait: Duration? = nil, key: String? = nil) -> CallOptions {
        var options = CallOptions()
        options.wait = wait
        options.idempotencyKey = key
        return options
    }

    @Test func aCallerThatDoesNotWaitIsGivenTheRequest() async throws {
        try await self.with { catalogue, requests in
            let answer = try await catalogue.call(
                "thing.move", ["device": "hall"], for: .admin, options: Self.options(wait: .zero)
            ).get()
            #expect(answer.status == 202)
            let id = try #require(answer.body.string("request"))
            #expect(id == "r-t-1")
            #expect(answer.body.string("device") == "hall")
            #expect(CommandRequestResult.result("").faults(of: answer.body) == [])
            self.stage.letGo()
            let again = try await catalogue.call(
                "thing.move", ["device": "hall"], for: .admin, options: Self.options()
            ).get()
            #expect(again.status == 200)
            // Both were let go, and either may end first.
            var first = try requests.request(id, for: .admin)
            while first.string("state") == "accepted" {
                await Task.yield()
                first = try requests.request(id, for: .admin)
            }
            #expect(first.string("state") == "confirmed")
            // Each has a result of its own.
            let counts = [first.object("result")?.int("count"), again.body.int("count")]
            #expect(Set(counts) == [1, 2])
        }
    }

    @Test func theSameKeyIsDoneOnce() async throws {
        try await self.with { catalogue, _ in
            async let one = catalogue.call(
                "thing.move", ["device": "hall"], for: .admin, options: Self.options(key: "k"))
            async let two = catalogue.call(
                "thing.move", ["device": "hall"], for: .admin, options: Self.options(key: "k"))
            for await _ in self.stage.begun { break }
            self.stage.letGo()
            let (first, second) = (try await one.get(), try await two.get())
            #expect(first.body == second.body)
            let other = await catalogue.call(
                "thing.move", ["device": "wall"], for: .admin, options: Self.options(key: "k"))
            guard case .failure(let problem) = other else {
                Issue.record("the key was taken for another call")
                return
            }
            #expect(problem.code == "idempotency_key_reused")
            // The key of another caller is another key.
            let guest = Caller(name: "guest", scopes: [.control])
            let third = try await catalogue.call(
                "thing.move", ["device": "wall"], for: guest, options: Self.options(key: "k")
            ).get()
            #expect(third.body.int("count") == 2)
        }
    }

    @Test(arguments: [(false, "cancelled"), (true, "unknown")])
    func whatIsTakenBackIsUnknownOnceTheDeviceWasAsked(isAsked: Bool, state: String) async throws {
        try await self.with { catalogue, requests in
            let input: JSONObject = ["device": "hall", "asked": .bool(isAsked)]
            let answer = try await catalogue.call(
                "thing.move", input, for: .admin, options: Self.options(wait: .zero)
            ).get()
            let id = try #require(answer.body.string("request"))
            for await _ in self.stage.begun { break }
            let guest = Caller(name: "guest", scopes: [.control])
            await #expect(throws: OperationProblem.self) { _ = try await requests.cancel(id, for: guest) }
            let gone = try await requests.cancel(id, for: .admin)
            #expect(gone.string("state") == state)
            let again = try await requests.cancel(id, for: .admin)
            #expect(again.string("state") == state)
        }
    }

    @Test func oneCallerTakesNotAllRoom() async throws {
        try await self.with { catalogue, requests in
            for _ in 0..<256 {
                let answer = await catalogue.call(
                    "thing.move", ["device": "hall"], for: .admin, options: Self.options(wait: .zero))
                let status = try answer.get().status
                #expect(status == 202)
            }
            let full = await catalogue.call(
                "thing.move", ["device": "hall"], for: .admin, options: Self.options(wait: .zero))
            guard case .failure(let problem) = full else {
                Issue.record("the 257th was taken")
                return
            }
            #expect(problem.code == "too_many_requests")
            let guest = Caller(name: "guest", scopes: [.control])
            let other = await catalogue.call(
                "thing.move", ["device": "hall"], for: guest, options: Self.options(wait: .zero))
            let status = try other.get().status
            #expect(status == 202)
            #expect(requests.open(for: guest).count == 1)
            #expect(requests.open(for: .admin).count == 257)
        }
    }

    @Test func whatGoesOnWhenTheGatewayStopsIsCancelled() async throws {
        let requests = CommandRequests(
            run: "t",
            clock: .init(now: { .zero }, time: { 100 }, sleep: { _ in for await _ in AsyncStream<Never>.never {} }))
        let catalogue = OperationCatalogue([Move(stage: self.stage)], requests: requests)
        let run = Task { await requests.run() }
        async let outcome = catalogue.call("thing.move", ["device": "hall"], for: .admin)
        for await _ in self.stage.begun { break }
        run.cancel()
        guard case .failure(let end) = await outcome else {
            Issue.record("it was confirmed")
            return
        }
        #expect(end.code == "cancelled")
        await run.value
        guard case .failure(let late) = await catalogue.call("thing.move", ["device": "hall"], for: .admin) else {
            Issue.record("it was taken after the end")
            return
        }
        #expect(late.code == "unavailable")
    }
}

extension AsyncStream where Element == Never {
    /// Ends when its task is cancelled.
    fileprivate static var never: AsyncStream<Never> { AsyncStream { _ in } }
}
