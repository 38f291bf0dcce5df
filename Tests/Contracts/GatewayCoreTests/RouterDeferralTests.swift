import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"
private let quizClaim = Claim(.exact("urn:x-cast:com.example.quiz"))

/// When a deferred verdict is carried out, and when it is too late for one.
@Suite struct RouterDeferralTests {
    @Test func aVerdictOnTheLoopIsCarriedOutBeforeTheCallReturns() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        for text in ["a", "b"] { bench.route(text, in: quiz) }
        bench.route("c", in: .media)
        slow.deferrals[0].complete(with: .forward)
        #expect(bench.output.forwardedTexts == ["a"])
        #expect(slow.messages.count == 2)
        slow.deferrals[1].complete(with: .forward)
        #expect(bench.output.forwardedTexts == ["a", "b", "c"])
    }

    @Test func verdictsOfOneTurnLeaveTogether() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        for connection in UInt64(1)...5 { bench.route("x", in: quiz, connection: connection) }
        for deferral in slow.deferrals { deferral.complete(with: .forward) }
        #expect(!bench.output.steps.contains(.flush))
        bench.loop.run()
        #expect(bench.output.steps.count == 6)
        #expect(bench.output.steps.last == .flush)
    }

    @Test func whoeverDecidesWhileItIsAskedIsHeardAfterwards() throws {
        let hasty = FunctionHandler("hasty", [quizClaim]) { _, context in
            context.deferral().complete(with: .forward)
            return .deferred
        }
        let bench = try RouterBench([hasty])
        bench.route("a", in: quiz)
        bench.route("b", in: .media)
        #expect(bench.output.forwarded.isEmpty)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["a", "b"])
        #expect(bench.router.heldFlowCount == 0)
    }

    /// A handler that is asked about one flow decides about another: nothing is routed in the middle of it.
    @Test func aVerdictOnAnotherFlowWaitsUntilNobodyIsAsked() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let order = Mutex<[String]>([])
        let other = FunctionHandler("other", [Claim(.exact("urn:x-cast:com.example.other"))]) { _, _ in
            order.withLock { $0.append("asked") }
            slow.deferrals[0].complete(with: .forward)
            order.withLock { $0.append("answered") }
            return .drop("done")
        }
        let bench = try RouterBench([slow, other])
        bench.route("held", in: quiz)
        bench.route("x", in: "urn:x-cast:com.example.other", connection: 2)
        #expect(order.withLock { $0 } == ["asked", "answered"])
        #expect(bench.output.forwarded.isEmpty)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["held"])
    }

    @Test func eachFlowHasItsOwnDeadline() throws {
        let late: Namespace = "urn:x-cast:com.example.late"
        let slow = DeferringHandler("slow", [Claim(.exact(quiz), deadline: .milliseconds(100))])
        let slower = DeferringHandler("slower", [Claim(.exact(late), deadline: .milliseconds(300))])
        let bench = try RouterBench([slow, slower])
        bench.route("slower", in: late, connection: 1)
        bench.route("slow", in: quiz, connection: 2)
        bench.loop.advanceTime(by: .milliseconds(50))
        bench.route("slow, later", in: quiz, connection: 3)
        bench.loop.advanceTime(by: .milliseconds(50))
        #expect(bench.output.forwardedTexts == ["slow"])
        bench.loop.advanceTime(by: .milliseconds(50))
        #expect(bench.output.forwardedTexts == ["slow", "slow, later"])
        bench.loop.advanceTime(by: .milliseconds(149))
        #expect(bench.output.forwarded.count == 2)
        bench.loop.advanceTime(by: .milliseconds(1))
        #expect(bench.output.forwardedTexts.last == "slower")
    }

    @Test func moreTimeMovesTheDeadline() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        bench.loop.advanceTime(by: .milliseconds(900))
        slow.deferrals[0].extendDeadline(to: .seconds(5))
        bench.loop.advanceTime(by: .milliseconds(4_999))
        #expect(bench.output.forwarded.isEmpty)
        bench.loop.advanceTime(by: .milliseconds(1))
        #expect(bench.output.forwardedTexts == ["a"])
    }

    @Test func moreTimeIsOnlyForWhoeverIsAskedNow() throws {
        let first = DeferringHandler("first", [Claim(.exact(quiz), phase: .filter)])
        let second = DeferringHandler("second", [quizClaim])
        let bench = try RouterBench([first, second])
        bench.route("a", in: quiz)
        first.deferrals[0].complete(with: .pass)
        first.deferrals[0].extendDeadline(to: .seconds(60))
        bench.loop.advanceTime(by: .seconds(1))
        #expect(second.messages.count == 1)
        #expect(bench.output.forwardedTexts == ["a"])
    }

    /// The connection ends while the next message of its flow is asked about: its deferral is settled.
    @Test func whatIsDeferredForAConnectionThatEndsMeanwhileIsSettled() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let close = Mutex<(@Sendable () -> Void)?>(nil)
        let taken = Mutex<Deferral?>(nil)
        let closer = FunctionHandler("closer", [Claim(.exact("urn:x-cast:com.example.closer"))]) { _, context in
            let deferral = context.deferral()
            taken.withLock { $0 = deferral }
            close.withLock { $0 }?()
            return .deferred
        }
        let bench = try RouterBench([slow, closer])
        let router = NIOLoopBound(bench.router, eventLoop: bench.loop)
        close.withLock { $0 = { router.value.connectionClosed(ConnectionID(rawValue: 1)) } }
        bench.route("a", in: quiz, connection: 1)
        bench.route("b", in: "urn:x-cast:com.example.closer", connection: 1)
        slow.deferrals[0].complete(with: .forward)
        #expect(taken.withLock { $0 }?.isSettled == true)
        #expect(bench.router.heldFlowCount == 0)
        taken.withLock { $0 }?.complete(with: .forward)
        bench.loop.advanceTime(by: .seconds(60))
        #expect(bench.output.forwardedTexts == ["a"])
    }

    @Test func aContextThatIsKeptGivesNoRightToDecideAboutWhatComesLater() throws {
        // Everything here happens on one thread.
        nonisolated(unsafe) var kept: HandlerContext?
        let first = FunctionHandler("first", [Claim(.exact(quiz), phase: .filter)]) { _, context in
            kept = context
            return .pass
        }
        let second = DeferringHandler("second", [quizClaim])
        let bench = try RouterBench([first, second])
        bench.route("a", in: quiz)
        kept?.deferral().complete(with: .drop("not mine"))
        bench.loop.run()
        #expect(bench.router.counts.dropped.isEmpty)
        second.deferrals[0].complete(with: .forward)
        #expect(bench.output.forwardedTexts == ["a"])
    }

    /// A probe whose connection ends before the verdict leaves the breaker to the next probe.
    @Test func aProbeWhoseConnectionEndsIsFollowedByAnother() throws {
        struct Oops: Error {}
        let slow = DeferringHandler("slow", [quizClaim])
        let close = Mutex<(@Sendable () -> Void)?>(nil)
        let state = Mutex((isBroken: true, asked: 0))
        let probed = FunctionHandler("probed", [Claim(.exact("urn:x-cast:com.example.probed"))]) { _, context in
            if state.withLock({ $0.isBroken }) { throw Oops() }
            state.withLock { $0.asked += 1 }
            _ = context.deferral()
            close.withLock { $0 }?()
            return .deferred
        }
        let bench = try RouterBench([slow, probed])
        let router = NIOLoopBound(bench.router, eventLoop: bench.loop)
        close.withLock { $0 = { router.value.connectionClosed(ConnectionID(rawValue: 1)) } }
        for _ in 0..<5 { bench.route("x", in: "urn:x-cast:com.example.probed", connection: 9) }
        #expect(bench.router.suspendedHandlers == ["probed"])
        state.withLock { $0.isBroken = false }
        bench.loop.advanceTime(by: .seconds(30))
        bench.route("a", in: quiz, connection: 1)
        bench.route("b", in: "urn:x-cast:com.example.probed", connection: 1)
        slow.deferrals[0].complete(with: .forward)
        #expect(state.withLock { $0.asked } == 1)
        bench.route("c", in: "urn:x-cast:com.example.probed", connection: 2)
        #expect(state.withLock { $0.asked } == 2)
    }

    @Test func nobodyIsAskedAfterTheEnd() throws {
        let slow = DeferringHandler("slow", [quizClaim])
        let bench = try RouterBench([slow])
        bench.route("a", in: quiz)
        bench.router.shutdown()
        bench.route("b", in: quiz)
        #expect(slow.messages.count == 1)
        #expect(slow.deferrals[0].isSettled)
    }
}
