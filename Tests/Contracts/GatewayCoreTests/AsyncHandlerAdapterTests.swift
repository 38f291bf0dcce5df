import CastWire
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"

/// Async handlers behind a router on a real loop; every wait is for something that happens.
@Suite(.timeLimit(.minutes(1))) struct AsyncHandlerAdapterTests {
    private struct Oops: Error {}

    private struct Handler: AsyncMessageHandler {
        let name = "async"
        var claims = [Claim(.exact(quiz), deadline: .seconds(50), onFailure: .closed)]
        let body: @Sendable (RoutedMessage) async throws -> Verdict

        func handle(_ message: RoutedMessage) async throws -> Verdict { try await self.body(message) }
    }

    /// A router on a loop of its own, whose adapter runs while `body` does.
    private static func withRouter(
        _ handler: Handler, limit: Int = 1024, running: Bool = true,
        _ body: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let adapter = AsyncHandlerAdapter(handler, limit: limit)
        let registry = HandlerRegistry()
        try registry.register(adapter)
        let bench = try await Bench.make(registry, group.next())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            if running { tasks.addTask { await adapter.run() } }
            try await body(bench)
            tasks.cancelAll()
        }
        try await group.shutdownGracefully()
    }

    /// The way to a router from outside its loop.
    private struct Bench: Sendable {
        let loop: any EventLoop
        let parts: NIOLoopBound<(output: RecordingOutput, router: MessageRouter)>

        static func make(_ registry: HandlerRegistry, _ loop: any EventLoop) async throws -> Bench {
            try await loop.submit {
                let output = RecordingOutput()
                let router = MessageRouter(
                    registry: registry, settings: RouterSettings(), eventLoop: loop, output: output,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                return Bench(loop: loop, parts: NIOLoopBound((output: output, router: router), eventLoop: loop))
            }.get()
        }

        func route(_ texts: String..., from source: EndpointID = .platformSender) async throws {
            try await self.loop.submit {
                for text in texts {
                    self.parts.value.router.route(
                        RoutedMessage(
                            .test(text, in: quiz, from: source), direction: .toReceiver, device: .test(),
                            connection: ConnectionID(rawValue: 1)))
                }
            }.get()
        }

        func idle() async throws {
            try await self.loop.flatSubmit {
                let promise = self.loop.makePromise(of: Void.self)
                self.parts.value.router.whenIdle { promise.succeed() }
                return promise.futureResult
            }.get()
        }

        func steps() async throws -> [RecordingOutput.Step] {
            try await self.loop.submit { self.parts.value.output.steps }.get()
        }

        func counts() async throws -> RoutingCounts {
            try await self.loop.submit { self.parts.value.router.counts }.get()
        }
    }

    @Test func verdictsArriveInOrder() async throws {
        let handler = Handler { message in
            await Task.yield()
            return .forward(.text((message.message.payload.text ?? "") + "!"))
        }
        try await Self.withRouter(handler) { bench in
            try await bench.route("a", "b", "c")
            try await bench.idle()
            let texts = try await bench.steps().compactMap { step -> String? in
                if case .forward(let message) = step { message.payload.text } else { nil }
            }
            #expect(texts == ["a!", "b!", "c!"])
        }
    }

    @Test func aThrownErrorCostsItsMessageByThePolicy() async throws {
        let handler = Handler { message in
            if message.message.payload.text == "bad" { throw Oops() }
            return .drop("good")
        }
        try await Self.withRouter(handler) { bench in
            try await bench.route("a", "bad", "b")
            try await bench.idle()
            let counts = try await bench.counts()
            #expect(counts.dropped == ["good": 2])
            #expect(counts.rejected == ["APP_ERROR": 1])
        }
    }

    @Test func deferringAgainIsAFailure() async throws {
        try await Self.withRouter(Handler { _ in .deferred }) { bench in
            try await bench.route("a")
            try await bench.idle()
            let counts = try await bench.counts()
            #expect(counts.failures == 1)
        }
    }

    @Test func theDeadlineCancelsTheTask() async throws {
        let (begun, beginInput) = AsyncStream.makeStream(of: Void.self)
        let (ended, endInput) = AsyncStream.makeStream(of: Bool.self)
        let adapter = AsyncHandlerAdapter(
            Handler { _ in
                beginInput.yield()
                await untilCancelled()
                endInput.yield(Task.isCancelled)
                return .drop("too late")
            })
        let registry = HandlerRegistry()
        try registry.register(adapter)
        let loop = NIOAsyncTestingEventLoop()
        let bench = try await Bench.make(registry, loop)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await adapter.run() }
            try await bench.route("a")
            for await _ in begun { break }
            await loop.advanceTime(by: .seconds(50))
            for await wasCancelled in ended {
                #expect(wasCancelled)
                break
            }
            tasks.cancelAll()
        }
        let counts = try await bench.counts()
        #expect(counts.rejected == ["APP_ERROR": 1])
        #expect(counts.dropped.isEmpty)
        await loop.shutdownGracefully()
    }

    @Test func whatWaitedTooLongIsNotHandedToTheHandler() async throws {
        let (seen, input) = AsyncStream.makeStream(of: String.self)
        let adapter = AsyncHandlerAdapter(
            Handler { message in
                input.yield(message.message.payload.text ?? "")
                return .pass
            })
        let registry = HandlerRegistry()
        try registry.register(adapter)
        let loop = NIOAsyncTestingEventLoop()
        let bench = try await Bench.make(registry, loop)
        try await bench.route("old", from: "sender-1")
        await loop.advanceTime(by: .seconds(50))
        try await bench.route("new", from: "sender-2")
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await adapter.run() }
            for await text in seen {
                #expect(text == "new")
                break
            }
            tasks.cancelAll()
        }
        await loop.shutdownGracefully()
    }

    @Test func aClosedConnectionCancelsTheTask() async throws {
        let (begun, beginInput) = AsyncStream.makeStream(of: Void.self)
        let (ended, endInput) = AsyncStream.makeStream(of: Bool.self)
        let handler = Handler { _ in
            beginInput.yield()
            await untilCancelled()
            endInput.yield(Task.isCancelled)
            return .pass
        }
        try await Self.withRouter(handler) { bench in
            try await bench.route("a")
            for await _ in begun { break }
            try await bench.loop.submit { bench.parts.value.router.connectionClosed(ConnectionID(rawValue: 1)) }.get()
            for await wasCancelled in ended {
                #expect(wasCancelled)
                break
            }
        }
    }

    @Test func rule5AFullMailboxFailsByThePolicy() async throws {
        // The adapter does not run, so nothing leaves its mailbox.
        try await Self.withRouter(Handler { _ in .pass }, limit: 2, running: false) { bench in
            for index in 0..<4 { try await bench.route("x", from: EndpointID(rawValue: "sender-\(index)")) }
            let counts = try await bench.counts()
            #expect(counts.rejected == ["APP_ERROR": 2])
        }
    }

    @Test func rule5ObserversCopiesAreBoundedAndInOrder() async throws {
        let (gate, gateInput) = AsyncStream.makeStream(of: Void.self)
        let (seen, seenInput) = AsyncStream.makeStream(of: String.self)
        let gates = Mutex<AsyncStream<Void>.AsyncIterator?>(gate.makeAsyncIterator())
        var handler = Handler { message in
            if let iterator = gates.withLock({ $0.take() }) {
                var iterator = iterator
                await iterator.next()
            }
            seenInput.yield(message.message.payload.text ?? "")
            return .pass
        }
        handler.claims = [Claim(.exact(quiz), phase: .observe)]
        try await Self.withRouter(handler, limit: 3) { bench in
            try await bench.route("a", "b", "c", "d", "e")
            let counts = try await bench.counts()
            #expect(counts.failures == 2)
            gateInput.yield()
            var texts: [String] = []
            for await text in seen {
                texts.append(text)
                if texts.count == 3 { break }
            }
            #expect(texts == ["a", "b", "c"])
        }
    }

    @Test func gracefulShutdownFinishesWhatItHasAndTakesNoMore() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (begun, beginInput) = AsyncStream.makeStream(of: Void.self)
        let (gate, gateInput) = AsyncStream.makeStream(of: Void.self)
        let adapter = AsyncHandlerAdapter(
            Handler { _ in
                beginInput.yield()
                for await _ in gate { break }
                return .drop("finished")
            })
        let registry = HandlerRegistry()
        try registry.register(adapter)
        let bench = try await Bench.make(registry, group.next())
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await adapter.run() }
                try await bench.route("a")
                for await _ in begun { break }
                trigger.triggerGracefulShutdown()
                try await bench.route("b", from: "sender-1")
                gateInput.yield()
                try await tasks.waitForAll()
            }
        }
        try await bench.idle()
        let counts = try await bench.counts()
        #expect(counts.dropped == ["finished": 1])
        #expect(counts.rejected == ["APP_ERROR": 1])
        try await group.shutdownGracefully()
    }
}

/// Returns when the task is cancelled, and not before.
private func untilCancelled() async {
    let (never, input) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    input.finish()
}
