import CastWire
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"
private let quizClaim = Claim(.exact("urn:x-cast:com.example.quiz"))

/// Rule 7 of the router: handlers come and go while messages flow.
@Suite struct RouterRegistrationTests {
    @Test func rule7FinishesAMessageWithTheTableItBeganWith() throws {
        let slow = DeferringHandler("slow", [Claim(.exact(quiz), phase: .filter)])
        let old = FunctionHandler("old", [quizClaim]) { _, _ in .drop("old") }
        let new = FunctionHandler("new", [quizClaim]) { _, _ in .drop("new") }
        let bench = try RouterBench([slow, old])
        bench.route("a", in: quiz)
        bench.route("b", in: quiz)
        try bench.registry.replaceAll(with: [new])
        slow.deferrals[0].complete(with: .pass)
        bench.loop.run()
        #expect(bench.router.counts.dropped == ["old": 1, "new": 1])
    }

    @Test func rule7LetsAnUnregisteredHandlerFinishWhatItHolds() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        #expect(bench.registry.unregister("slow"))
        #expect(!bench.registry.unregister("slow"))
        bench.route("b", in: quiz, connection: 2)
        #expect(bench.output.forwardedTexts == ["b"])
        slow.deferrals[0].complete(with: .reply(["x": 1]))
        bench.loop.run()
        #expect(bench.output.toSenders.count == 1)
    }

    @Test func rule7KeepsTheOldTableWhenAReloadFails() throws {
        let registry = HandlerRegistry()
        try registry.register(FunctionHandler("a", [quizClaim]) { _, _ in .pass })
        let before = registry.table
        #expect(throws: GatewayError(.claimConflict, "")) {
            try registry.replaceAll(with: [
                FunctionHandler("b", [quizClaim]) { _, _ in .pass },
                FunctionHandler("c", [quizClaim]) { _, _ in .pass },
            ])
        }
        #expect(registry.table === before)
    }

    @Test func rule7ReplacesAHandlerOfTheSameNameWithoutItsSuspension() throws {
        struct Oops: Error {}
        let broken = FunctionHandler("h", [quizClaim]) { _, _ in throw Oops() }
        let bench = try RouterBench([broken])
        for _ in 0..<6 { bench.route("x", in: quiz) }
        try bench.registry.replaceAll(with: [FunctionHandler("h", [quizClaim]) { _, _ in .drop("alive") }])
        bench.route("x", in: quiz)
        #expect(bench.router.counts.dropped == ["alive": 1])
    }

    @Test(.timeLimit(.minutes(1)))
    func rule7LosesAndDoublesNothingWhileHandlersComeAndGo() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let registry = HandlerRegistry()
        let count = 2000
        @Sendable func handler(_ name: String, _ namespace: Namespace) -> any MessageHandler {
            FunctionHandler(name, [Claim(.exact(namespace))]) { routed, context in
                guard routed.message.payload.bytes.readableBytes % 2 == 0 else { return .forward }
                context.deferral().complete(with: .forward)
                return .deferred
            }
        }
        try await withThrowingTaskGroup(of: [String].self) { tasks in
            for loop in [group.next(), group.next()] {
                tasks.addTask {
                    let parts = try await loop.submit {
                        let output = RecordingOutput()
                        return NIOLoopBound(
                            (
                                output,
                                MessageRouter(
                                    registry: registry, settings: RouterSettings(flowLimit: count), eventLoop: loop,
                                    output: output, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                            ), eventLoop: loop)
                    }.get()
                    for index in 0..<count {
                        try await loop.submit {
                            parts.value.1.route(
                                RoutedMessage(
                                    .test("\(index)", in: quiz), direction: .toReceiver, device: .test(),
                                    connection: ConnectionID(rawValue: 1)))
                        }.get()
                    }
                    let promise = loop.makePromise(of: Void.self)
                    loop.execute { parts.value.1.whenIdle { promise.succeed() } }
                    try await promise.futureResult.get()
                    return try await loop.submit { parts.value.0.forwardedTexts }.get()
                }
            }
            tasks.addTask {
                for _ in 0..<500 {
                    try registry.register(handler("h", quiz))
                    try registry.replaceAll(with: [handler("other", .media), handler("h", quiz)])
                    registry.unregister("h")
                    await Task.yield()
                }
                return []
            }
            let expected = (0..<count).map(String.init)
            for try await texts in tasks where !texts.isEmpty { #expect(texts == expected) }
        }
        try await group.shutdownGracefully()
    }
}
