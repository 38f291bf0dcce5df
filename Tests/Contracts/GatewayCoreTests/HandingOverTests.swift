import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"

/// A filter that leaves a message to one handler alone.
@Suite struct HandingOverTests {
    /// A handler that must not see what it does not claim.
    private struct ConfinedHandler: MessageHandler {
        let name: String
        let claims: [Claim]
        let isConfinedToClaims = true

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict { .reply(["by": "confined"]) }
    }

    private static func filter(
        _ name: String = "filter", to other: String, payload: CastMessage.Payload? = nil
    ) -> FunctionHandler {
        FunctionHandler(name, [Claim(.any, phase: .filter)]) { _, _ in Verdict(.handOver(other, payload)) }
    }

    private static func replier(_ name: String, _ claims: [Claim]) -> FunctionHandler {
        FunctionHandler(name, claims) { _, _ in .reply(["by": .string(name)]) }
    }

    private static let text = #"{"type":"X","requestId":5}"#

    private func answer(of bench: RouterBench) -> JSONObject? { bench.output.toSenders.last?.payload.jsonObject }

    @Test func theHandlerDecidesAlone() throws {
        let bench = try RouterBench([
            Self.filter(to: "other"),
            FunctionHandler("later", [Claim(.any, phase: .filter)]) { _, _ in .drop("later filter") },
            FunctionHandler("owner", [Claim(.exact(quiz))]) { _, _ in .drop("owner") },
            Self.replier("other", [Claim(.exact(.media))]),
        ])
        bench.route(Self.text, in: quiz)
        #expect(self.answer(of: bench)?.string("by") == "other")
        #expect(bench.router.counts.dropped.isEmpty && bench.output.forwarded.isEmpty)
    }

    @Test func theMessageGoesThereAsTheFilterLeavesIt() throws {
        let bench = try RouterBench([
            Self.filter(to: "other", payload: .text("changed")),
            FunctionHandler("other", [Claim(.exact(.media))]) { message, _ in .reply(message.message.payload) },
        ])
        bench.route(Self.text, in: quiz)
        #expect(bench.output.toSenders.map(\.payload.text) == ["changed"])
    }

    @Test func aHandlerThatPassesLeavesItToTheDefault() throws {
        let observed = Mutex(0)
        let handlers: [any MessageHandler] = [
            Self.filter(to: "other"),
            FunctionHandler("owner", [Claim(.exact(quiz))]) { _, _ in .drop("owner") },
            FunctionHandler("other", [Claim(.exact(.media))]) { _, _ in .pass },
            FunctionHandler("observer", [Claim(.any, phase: .observe)]) { _, _ in
                observed.withLock { $0 += 1 }
                return .pass
            },
        ]
        let bench = try RouterBench(handlers)
        bench.route(Self.text, in: quiz)
        #expect(bench.output.forwardedTexts == [Self.text])
        #expect(observed.withLock { $0 } == 1)
        let strict = try RouterBench(handlers, settings: RouterSettings(defaultAction: .reject))
        strict.route(Self.text, in: quiz)
        #expect(strict.output.forwarded.isEmpty && strict.router.counts.rejected == ["NOT_SUPPORTED": 1])
    }

    @Test func deadlineAndFailurePolicyOfTheHandlerHold() throws {
        for (policy, passes) in [(FailurePolicy.open, true), (.closed, false)] {
            let slow = DeferringHandler(
                "slow", [Claim(.exact(.media), deadline: .seconds(3), onFailure: policy)])
            let bench = try RouterBench([Self.filter(to: "slow"), slow])
            bench.route(Self.text, in: quiz)
            bench.loop.advanceTime(by: .milliseconds(2_900))
            #expect(bench.output.steps.isEmpty)
            bench.loop.advanceTime(by: .milliseconds(200))
            #expect(bench.output.forwarded.count == (passes ? 1 : 0))
            #expect(bench.router.counts.rejected == (passes ? [:] : ["APP_ERROR": 1]))
            // The verdict that comes late goes nowhere.
            slow.deferrals[0].complete(with: .reply(.text("late")))
            bench.loop.run()
            #expect(bench.output.forwarded.count == (passes ? 1 : 0))
            #expect(!bench.output.toSenders.contains { $0.payload.text == "late" })
        }
    }

    @Test func anUnknownHandlerRefusesTheMessage() throws {
        for name in ["none", "filter", "watcher"] {
            let bench = try RouterBench([
                Self.filter(to: name),
                FunctionHandler("watcher", [Claim(.any, phase: .observe)]) { _, _ in .pass },
            ])
            bench.route(Self.text, in: quiz)
            #expect(bench.output.forwarded.isEmpty)
            #expect(self.answer(of: bench)?.string("reason") == "APP_ERROR")
            #expect(self.answer(of: bench)?.string("message") == "'\(name)' does not take this message")
            #expect(bench.router.counts.failures == 0)
        }
    }

    @Test func aHandlerOfOtherDevicesIsNotAsked() throws {
        let bench = try RouterBench([
            Self.filter(to: "other"), Self.replier("other", [Claim(.exact(quiz), devices: ["hall"])]),
        ])
        bench.route(Self.text, in: quiz)
        #expect(self.answer(of: bench)?.string("reason") == "APP_ERROR")
    }

    @Test func aConfinedHandlerSeesOnlyWhatItClaims() throws {
        let bench = try RouterBench([
            Self.filter(to: "plugin"), ConfinedHandler(name: "plugin", claims: [Claim(.exact(quiz), types: ["X"])]),
        ])
        bench.route(Self.text, in: quiz)
        #expect(self.answer(of: bench)?.string("by") == "confined")
        for (text, namespace) in [(Self.text, Namespace.media), (#"{"type":"Y","requestId":5}"#, quiz)] {
            bench.route(text, in: namespace)
            #expect(self.answer(of: bench)?.string("reason") == "APP_ERROR")
        }
    }

    /// Of several claims the one that wants the message gives deadline and policy.
    @Test func theClaimThatFitsBestCounts() throws {
        let patterns = Mutex<[String]>([])
        let handler = FunctionHandler(
            "other", [Claim(.exact(.media)), Claim(.prefix("urn:x-cast:com.example.")), Claim(.exact(quiz))]
        ) { _, context in
            patterns.withLock { $0.append("\(context.claim.pattern)") }
            return .drop("done")
        }
        let bench = try RouterBench([Self.filter(to: "other"), handler])
        for namespace in [quiz, "urn:x-cast:com.example.chess", "urn:x-cast:org.example", .media] {
            bench.route(Self.text, in: namespace)
        }
        #expect(
            patterns.withLock { $0 } == [
                quiz.rawValue, "urn:x-cast:com.example.*", Namespace.media.rawValue, Namespace.media.rawValue,
            ])
    }

    @Test func aHandlerDoesNotGetItsOwnMessages() throws {
        let bench = try RouterBench([Self.filter(to: "other"), Self.replier("other", [Claim(.exact(quiz))])])
        bench.router.route(
            RoutedMessage(
                .test(Self.text, in: quiz), direction: .toReceiver, device: bench.device,
                connection: ConnectionID(rawValue: 1), origin: MessageOrigin("other")))
        #expect(bench.output.forwarded.isEmpty)
        #expect(bench.router.counts.rejected == ["APP_ERROR": 1])
    }

    @Test func onlyAFilterHandsOver() throws {
        let bench = try RouterBench([
            FunctionHandler("owner", [Claim(.exact(quiz), onFailure: .closed)]) { _, _ in Verdict(.handOver("other")) },
            Self.replier("other", [Claim(.exact(.media))]),
        ])
        bench.route(Self.text, in: quiz)
        #expect(bench.router.counts.failures == 1)
        #expect(self.answer(of: bench)?.string("reason") == "APP_ERROR")
    }

    /// Whatever filters and owners say, each claim is asked at most once about a message, and there is one outcome.
    @Test(arguments: 0..<8) func noClaimIsAskedTwice(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let names = ["a", "b", "c", "d", "e", "f"]
        for _ in 0..<300 {
            let asked = Mutex<[String]>([])
            let handlers = names.map { name -> FunctionHandler in
                let isFilter = random.once(in: 2)
                let verdicts: [Verdict] =
                    isFilter
                    ? [
                        .pass, .pass, .rewrite(.text(#"{"type":"X","requestId":5,"seen":true}"#)),
                        Verdict(.handOver(names[random.int(0...5)])),
                        .drop(name),
                    ]
                    : [.pass, .pass, .forward, .reply(.text("answer")), Verdict(.handOver(names[random.int(0...5)]))]
                let verdict = verdicts[random.int(0...verdicts.count - 1)]
                let namespace: Namespace = random.once(in: 2) ? quiz : .media
                let claims =
                    isFilter
                    ? [Claim(.any, phase: .filter)]
                    : [Claim(.exact(namespace), types: Set(["X-\(name)", "X"].filter { _ in random.once(in: 2) }))]
                return FunctionHandler(name, claims) { _, context in
                    asked.withLock { $0.append("\(name) \(context.claim.phase)") }
                    return verdict
                }
            }
            let registered = handlers.reduce(into: [FunctionHandler]()) { list, handler in
                if (try? RouterBench(list + [handler])) != nil { list.append(handler) }
            }
            let bench = try RouterBench(registered)
            bench.route(Self.text, in: quiz)
            let all = asked.withLock { $0 }
            #expect(Set(all).count == all.count, "\(all)")
            let outcomes =
                bench.output.forwarded.count + bench.output.toSenders.count
                + bench.router.counts.dropped.values.reduce(0, +)
            #expect(outcomes == 1, "\(all)")
        }
    }
}
