import CastWire
import CastwayTestSupport
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

/// The rules that the router keeps, one test or more each.
@Suite struct RouterRulesTests {
    // MARK: 1. FIFO per (connection, source, destination), across namespaces

    @Test func rule1KeepsTheOrderOfAFlowAcrossNamespaces() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        bench.route("b", in: .media)
        bench.route("c", in: .receiver)
        #expect(bench.output.forwarded.isEmpty)
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["a", "b", "c"])
        #expect(bench.output.steps.last == .flush)
    }

    @Test func rule1LetsOtherFlowsOvertake() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("held", in: quiz)
        bench.route("other source", in: .media, from: "sender-1")
        bench.route("other destination", in: .media, to: "app")
        bench.route("other connection", in: .media, connection: 2)
        bench.route("other way", in: .media, from: .platformReceiver, to: .platformSender, direction: .toSender)
        #expect(
            bench.output.forwardedTexts == ["other source", "other destination", "other connection", "other way"])
    }

    @Test func rule1HoldsForSeveralDeferralsInOneFlow() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        for text in ["a", "b"] { bench.route(text, in: quiz) }
        bench.route("c", in: .media)
        bench.route("d", in: quiz)
        #expect(slow.messages.count == 1)
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(slow.messages.count == 2)
        #expect(bench.output.forwardedTexts == ["a"])
        slow.deferrals[1].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["a", "b", "c"])
        slow.deferrals[2].complete(with: .drop("no"))
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["a", "b", "c"])
        bench.route("e", in: .media)
        #expect(bench.output.forwardedTexts.last == "e")
    }

    @Test func rule1HoldsWhenAFilterChangedThePayload() throws {
        let filter = FunctionHandler("rewrite", [Claim(.exact(quiz), phase: .filter)]) { routed, _ in
            .rewrite(.text((routed.message.payload.text ?? "") + "!"))
        }
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([filter, slow])
        bench.route("to the app itself", in: quiz, to: "app")
        bench.route("rewritten", in: quiz)
        bench.route("behind it", in: .media)
        #expect(slow.messages.count == 2)
        #expect(bench.output.forwarded.isEmpty)
        slow.deferrals[1].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["rewritten!", "behind it"])
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["rewritten!", "behind it", "to the app itself!"])
    }

    @Test(.timeLimit(.minutes(1)))
    func rule1HoldsWhenCompletionComesFromAnotherThread() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let slow = DeferringHandler("slow", [quizClaim])
        let registry = HandlerRegistry()
        try registry.register(slow)
        let parts = try await loop.submit {
            let output = RecordingOutput()
            let router = MessageRouter(
                registry: registry, settings: RouterSettings(handleDeadline: .seconds(50)), eventLoop: loop,
                output: output, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            for (text, namespace) in [("a", quiz), ("b", Namespace.media), ("c", quiz), ("d", .media)] {
                router.route(
                    RoutedMessage(
                        .test(text, in: namespace), direction: .toReceiver, device: .test(),
                        connection: ConnectionID(rawValue: 1)))
            }
            return NIOLoopBound((output, router), eventLoop: loop)
        }.get()
        slow.deferrals[0].complete(with: .forward)
        let first = try await loop.submit { parts.value.0.forwardedTexts }.get()
        #expect(first == ["a", "b"])
        slow.deferrals[1].complete(with: .forward)
        let second = try await loop.submit { parts.value.0.forwardedTexts }.get()
        #expect(second == ["a", "b", "c", "d"])
        try await group.shutdownGracefully()
    }

    // MARK: 2. Heartbeat and connection messages are not the router's

    @Test(arguments: [Namespace.heartbeat, .connection, .deviceAuth])
    func rule2KeepsTransportNamespacesFromHandlers(_ namespace: Namespace) throws {
        let registry = HandlerRegistry()
        for phase in RoutingPhase.allCases {
            #expect(throws: GatewayError(.reservedNamespace, "")) {
                try registry.register(
                    FunctionHandler("greedy", [Claim(.exact(namespace), phase: phase)]) { _, _ in .pass })
            }
        }
        let prefix = try #require(NamespacePattern("urn:x-cast:com.google.cast.tp.*"))
        #expect(throws: GatewayError(.reservedNamespace, "")) {
            try registry.register(FunctionHandler("greedy", [Claim(prefix)]) { _, _ in .pass })
        }
        #expect(registry.table.entries.isEmpty)
    }

    // MARK: 3. A handler returns when the message is accepted

    @Test func rule3RoutesTheNextMessageBeforeTheTargetAnswers() throws {
        let handler = FunctionHandler("forwarder", [quizClaim]) { _, _ in .forward }
        let bench = try RouterBench([handler])
        bench.route(#"{"requestId":1}"#, in: quiz)
        bench.route(#"{"requestId":2}"#, in: quiz)
        #expect(bench.output.forwardedTexts == [#"{"requestId":1}"#, #"{"requestId":2}"#])
        #expect(bench.output.toSenders.isEmpty)
    }

    // MARK: 4. Deadlines, failure policies

    @Test func rule4OpenPassesAMessageOnWhenItsHandlerIsLate() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        bench.route("b", in: .media)
        bench.loop.advanceTime(by: .milliseconds(999))
        #expect(bench.output.forwarded.isEmpty)
        bench.loop.advanceTime(by: .milliseconds(1))
        #expect(bench.output.forwardedTexts == ["a", "b"])
        #expect(slow.deferrals[0].isSettled)
        #expect(bench.router.counts.failures == 1)
    }

    @Test func rule4ClosedRefusesAMessageWhoseHandlerIsLateAndItAlone() throws {
        let claim = Claim(.exact(quiz), deadline: .milliseconds(100), onFailure: .closed)
        let slow = DeferringHandler("slow", [claim])
        let bench = try RouterBench([slow])
        bench.route(#"{"requestId":4}"#, in: quiz)
        bench.route("b", in: .media)
        bench.loop.advanceTime(by: .milliseconds(100))
        #expect(bench.output.forwardedTexts == ["b"])
        #expect(bench.output.toSenders.first?.payload.jsonObject?.int("requestId") == 4)
        #expect(bench.router.counts.rejected == ["APP_ERROR": 1])
    }

    @Test func rule4FiltersHaveTheirOwnDeadline() throws {
        let slow = DeferringHandler("slow", [Claim(.exact(quiz), phase: .filter)])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        bench.loop.advanceTime(by: .milliseconds(249))
        #expect(bench.output.forwarded.isEmpty)
        bench.loop.advanceTime(by: .milliseconds(1))
        #expect(bench.output.forwardedTexts == ["a"])
    }

    @Test func rule4IgnoresLateVerdicts() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        bench.loop.advanceTime(by: .seconds(1))
        slow.deferrals[0].complete(with: .reply(["late": true]))
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["a"])
        #expect(bench.output.toSenders.isEmpty)
    }

    @Test func rule4CountsAVerdictThatWasGivenBeforeTheDeadline() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route(#"{"requestId":4}"#, in: quiz)
        // The verdict is on its way to the loop when the deadline passes.
        bench.loop.scheduleTask(in: .seconds(1)) {}
        slow.deferrals[0].complete(with: .drop("in time"))
        bench.loop.advanceTime(by: .seconds(1))
        #expect(bench.router.counts.dropped == ["in time": 1])
        #expect(bench.router.counts.failures == 0)
    }

    @Test func rule4CostsAThrowOnlyThatMessage() throws {
        struct Oops: Error {}
        let handler = FunctionHandler("broken", [quizClaim]) { routed, _ in
            if routed.message.payload.text == "bad" { throw Oops() }
            return .forward
        }
        let bench = try RouterBench([handler], settings: RouterSettings(onFailure: .closed))
        for text in ["a", "bad", "b"] { bench.route(text, in: quiz) }
        #expect(bench.output.forwardedTexts == ["a", "b"])
    }

    @Test func rule4StopsAskingADeadHandlerAndTriesItAgain() throws {
        struct Oops: Error {}
        let calls = Mutex(0)
        let isBroken = Mutex(true)
        let handler = FunctionHandler("broken", [quizClaim]) { _, _ in
            calls.withLock { $0 += 1 }
            if isBroken.withLock({ $0 }) { throw Oops() }
            return .drop("taken")
        }
        let bench = try RouterBench([handler])
        for _ in 0..<10 { bench.route("x", in: quiz) }
        #expect(calls.withLock { $0 } == 5)
        #expect(bench.output.forwarded.count == 10)
        #expect(bench.output.events == [.handlerSuspended(device: "test", handler: "broken")])

        bench.loop.advanceTime(by: .seconds(30))
        for _ in 0..<3 { bench.route("x", in: quiz) }
        #expect(calls.withLock { $0 } == 6)

        isBroken.withLock { $0 = false }
        bench.loop.advanceTime(by: .seconds(30))
        for _ in 0..<3 { bench.route("x", in: quiz) }
        #expect(calls.withLock { $0 } == 9)
        #expect(bench.router.counts.dropped == ["taken": 3])
    }

    @Test func rule4ProbesAgainWhenTheProbeWasAbandoned() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        for index in 0..<5 { bench.route("x", in: quiz, connection: UInt64(index)) }
        bench.loop.advanceTime(by: .seconds(1))
        bench.route("x", in: quiz)
        #expect(slow.messages.count == 5)
        bench.loop.advanceTime(by: .seconds(30))
        bench.route("probe", in: quiz, connection: 7)
        #expect(slow.messages.count == 6)
        bench.router.connectionClosed(ConnectionID(rawValue: 7))
        #expect(slow.deferrals[5].isSettled)
        bench.route("probe", in: quiz, connection: 8)
        #expect(slow.messages.count == 7)
    }

    // MARK: 5. Bounded queues

    @Test func rule5BoundsAFlowByCountAndAnswersTheRest() throws {
        let log = LogRecorder()
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow], settings: RouterSettings(flowLimit: 3), logger: log.logger())
        bench.route("held", in: quiz)
        for index in 1...6 { bench.route(#"{"requestId":\#(index)}"#, in: .media) }
        bench.route("nobody waits", in: .media)
        #expect(bench.router.counts.overflowed == 4)
        #expect(bench.output.toSenders.map { $0.payload.jsonObject?.int("requestId") } == [4, 5, 6])
        #expect(
            bench.output.toSenders.allSatisfy {
                $0.payload.jsonObject?.string("reason") == "CONCURRENT_STREAM_LIMIT"
                    && $0.destination == .platformSender
            })
        #expect(log.entries(atLeast: .info).map(\.message) == ["A flow is full behind a slow handler"])
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwarded.count == 4)
    }

    @Test func rule5BoundsAFlowByBytes() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow], settings: RouterSettings(flowByteLimit: 10))
        bench.route("held", in: quiz)
        for text in ["123456", "1234", "x"] { bench.route(text, in: .media) }
        #expect(bench.router.counts.overflowed == 1)
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["held", "123456", "1234"])
    }

    @Test func rule5CountsNoMoreWhatLeftTheQueue() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow], settings: RouterSettings(flowByteLimit: 10))
        for text in ["held", "123456", "1234"] { bench.route(text, in: quiz) }
        // The first that waited is held now, and its bytes wait no more.
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        bench.route("abcdef", in: .media)
        #expect(bench.router.counts.overflowed == 0)
        bench.route("x", in: .media)
        #expect(bench.router.counts.overflowed == 1)
    }

    // MARK: 6. Payloads stay the bytes that came in

    @Test(arguments: ["as it came", "after a filter", "after a deferral", "forwarded by its owner"])
    func rule6KeepsPayloadBytes(_ way: String) throws {
        let text = "{ \"z\" : 1.50,\"a\":\"\\u0041\" ,\t\"type\":\"X\", \"a\":2e0 }\n"
        let filter = FunctionHandler("filter", [Claim(.any, phase: .filter)]) { _, _ in .pass }
        let slow = DeferringHandler("slow", [quizClaim])
        let owner = FunctionHandler("owner", [quizClaim]) { _, _ in .forward }
        let handlers: [any MessageHandler] =
            switch way {
            case "after a filter": [filter]
            case "after a deferral": [slow]
            case "forwarded by its owner": [owner]
            default: []
            }
        let bench = try RouterBench(handlers)
        bench.route(text, in: quiz)
        for deferral in slow.deferrals { deferral.complete(with: .pass) }
        bench.loop.run()
        #expect(bench.output.forwarded == [.test(text, in: quiz)])
        #expect(bench.output.forwarded.first?.payload.bytes.readableBytesView.elementsEqual(text.utf8) == true)
    }
}
