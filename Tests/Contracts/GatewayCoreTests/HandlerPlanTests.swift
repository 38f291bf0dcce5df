import CastWire
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"

/// Which of the registered handlers are asked, in which order, and what switches change.
@Suite struct HandlerPlanTests {
    private struct Oops: Error {}

    private static func owner(
        _ name: String, _ pattern: NamespacePattern = .exact(quiz), devices: Set<String>? = nil,
        replaces: String? = nil, _ verdict: Verdict? = nil
    ) -> FunctionHandler {
        FunctionHandler(name, [Claim(pattern, devices: devices, replaces: replaces)]) { _, _ in verdict ?? .drop(name) }
    }

    private static func filter(_ name: String) -> FunctionHandler {
        FunctionHandler(name, [Claim(.exact(quiz), phase: .filter)]) { message, _ in
            .rewrite(.text((message.message.payload.text ?? "") + name))
        }
    }

    private static func plan(_ entries: HandlerPlan.Entry...) -> HandlerPlan { HandlerPlan(entries: entries) }

    private static func names(_ registry: HandlerRegistry, _ namespace: Namespace = quiz) -> [String] {
        let chain = registry.table.chain(for: namespace, direction: .toReceiver)
        return (chain.filters + chain.candidates + chain.observers).map(\.handler.name)
    }

    // MARK: The plan

    @Test func theOrderOfThePlanIsTheOrderOfFilters() throws {
        let bench = try RouterBench([Self.filter("a"), Self.filter("b"), Self.filter("c")])
        bench.route(">", in: quiz)
        try bench.registry.follow(Self.plan(.init(name: "c"), .init(name: "a"), .init(name: "b")))
        bench.route(">", in: quiz)
        try bench.registry.follow(HandlerPlan())
        bench.route(">", in: quiz)
        #expect(bench.output.forwardedTexts == [">abc", ">cab", ">abc"])
    }

    @Test func whatThePlanLeavesOutIsOff() throws {
        let bench = try RouterBench([Self.filter("a"), Self.filter("b"), Self.owner("owner")])
        try bench.registry.follow(Self.plan(.init(name: "b"), .init(name: "owner", isEnabled: false)))
        bench.route(">", in: quiz)
        #expect(bench.output.forwardedTexts == [">b"])
        // What comes later is off, too.
        try bench.registry.register(Self.filter("late"))
        bench.route(">", in: quiz)
        #expect(bench.output.forwardedTexts == [">b", ">b"])
        #expect(bench.registry.summaries.map(\.name) == ["b", "owner", "a", "late"])
        #expect(bench.registry.summaries.map(\.isEnabled) == [true, false, false, false])
        #expect(bench.registry.summaries.map(\.isListed) == [true, true, false, false])
        #expect(bench.registry.summaries.map(\.position) == [1, 2, 3, 4])
    }

    /// An entry may wait for its handler: a plugin that is yet to start.
    @Test func anEntryWithoutAHandlerKeepsAPlace() throws {
        let registry = HandlerRegistry()
        try registry.follow(Self.plan(.init(name: "late"), .init(name: "early")))
        try registry.register(Self.filter("early"))
        try registry.register(Self.filter("late"))
        #expect(Self.names(registry) == ["late", "early"])
        registry.unregister("late")
        #expect(Self.names(registry) == ["early"])
        try registry.register(Self.filter("late"))
        #expect(Self.names(registry) == ["late", "early"])
    }

    @Test func ownersOfOneRankFollowThePlan() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: [Self.owner("a", devices: ["x"]), Self.owner("b", devices: ["y"])])
        #expect(Self.names(registry) == ["a", "b"])
        try registry.follow(Self.plan(.init(name: "b"), .init(name: "a")))
        #expect(Self.names(registry) == ["b", "a"])
    }

    @Test func aHandlerIsLimitedToDevices() throws {
        let bench = try RouterBench([Self.owner("a")])
        try bench.registry.follow(Self.plan(.init(name: "a", devices: ["elsewhere"])))
        bench.route("x", in: quiz)
        #expect(bench.output.forwardedTexts == ["x"])
        try bench.registry.follow(Self.plan(.init(name: "a", devices: ["elsewhere", "test"])))
        bench.route("y", in: quiz)
        #expect(bench.router.counts.dropped == ["a": 1])
    }

    @Test func devicesOfAClaimAreNotWidened() throws {
        let registry = HandlerRegistry()
        try registry.register(Self.owner("a", devices: ["x", "y"]))
        try registry.follow(Self.plan(.init(name: "a", devices: ["y", "z"])))
        #expect(registry.table.entries.map(\.claim.devices) == [["y"]])
        try registry.follow(Self.plan(.init(name: "a", devices: ["z"])))
        #expect(registry.table.entries.isEmpty)
        #expect(registry.summaries.first?.claims.isEmpty == true)
    }

    @Test func deadlineAndPolicyAreOverridden() throws {
        let slow = DeferringHandler("slow", [Claim(.exact(quiz), deadline: .seconds(5), onFailure: .open)])
        let bench = try RouterBench([slow])
        try bench.registry.follow(
            Self.plan(.init(name: "slow", deadline: .milliseconds(100), onFailure: .closed)))
        bench.route(#"{"requestId":1}"#, in: quiz)
        bench.loop.advanceTime(by: .milliseconds(110))
        #expect(bench.output.forwardedTexts.isEmpty)
        #expect(bench.router.counts.rejected == [Rejection.handlerFailed.reason: 1])
    }

    /// Two owners of one namespace may be told apart by the plan alone.
    @Test func claimsAreInConflictAsThePlanLimitsThem() throws {
        let registry = HandlerRegistry()
        try registry.follow(Self.plan(.init(name: "a", devices: ["x"]), .init(name: "b", devices: ["y"])))
        try registry.register(Self.owner("a"))
        try registry.register(Self.owner("b"))
        let table = registry.table
        #expect(throws: GatewayError(.claimConflict, "")) { try registry.follow(HandlerPlan()) }
        #expect(registry.table === table)
        try registry.follow(Self.plan(.init(name: "a"), .init(name: "b", isEnabled: false)))
        #expect(Self.names(registry) == ["a"])
    }

    // MARK: Switches

    @Test func aSwitchIsOverThePlan() throws {
        let bench = try RouterBench([Self.owner("a")])
        #expect(bench.registry.setEnabled(false, "a"))
        bench.route("off", in: quiz)
        #expect(bench.registry.summaries.map(\.isSwitched) == [true])
        #expect(bench.registry.setEnabled(nil, "a"))
        bench.route("on", in: quiz)
        #expect(bench.output.forwardedTexts == ["off"])
        #expect(bench.router.counts.dropped == ["a": 1])
        #expect(bench.registry.summaries.map(\.isSwitched) == [false])
        #expect(!bench.registry.setEnabled(false, "nothing"))
    }

    @Test func whatIsLeftOutMayBeSwitchedOn() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: [Self.filter("a"), Self.filter("b")], following: Self.plan(.init(name: "b")))
        registry.setEnabled(true, "a")
        #expect(Self.names(registry) == ["b", "a"])
    }

    /// A command must not fail for want of a conflict's solution: the order of the plan is one.
    @Test func whatIsSwitchedOnBesideAnEqualClaimComesInItsPlace() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: [Self.owner("a"), Self.owner("b")],
            following: Self.plan(.init(name: "b"), .init(name: "a", isEnabled: false)))
        #expect(registry.setEnabled(true, "a"))
        #expect(Self.names(registry) == ["b", "a"])
        // What is registered meanwhile is judged by the plan.
        try registry.register(Self.filter("c"))
        #expect(Self.names(registry) == ["b", "a"])
    }

    @Test func aSwitchOutlivesAPlanThatSaysTheSameOfItsHandler() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: [Self.filter("a"), Self.filter("b")])
        registry.setEnabled(false, "a")
        try registry.follow(Self.plan(.init(name: "b", origin: "x:1:1"), .init(name: "a", origin: "x:2:1")))
        #expect(Self.names(registry) == ["b"])
        try registry.follow(Self.plan(.init(name: "a", devices: ["test"]), .init(name: "b")))
        #expect(Self.names(registry) == ["a", "b"])
    }

    /// A plugin that starts again stays off.
    @Test func aSwitchOutlivesARenewal() throws {
        let registry = HandlerRegistry()
        try registry.register(Self.owner("a"))
        registry.setEnabled(false, "a")
        try registry.renew(Self.owner("a"))
        #expect(registry.table.entries.isEmpty)
        #expect(registry.handler(named: "a") != nil)
    }

    @Test func aMessageInProgressIsDecidedByTheHandlerThatHoldsIt() throws {
        let slow = DeferringHandler("slow", [Claim(.exact(quiz))])
        let bench = try RouterBench([slow])
        bench.route("held", in: quiz)
        bench.route("waits", in: quiz)
        bench.registry.setEnabled(false, "slow")
        #expect(bench.output.forwardedTexts.isEmpty)
        slow.deferrals[0].complete(with: .forward)
        bench.loop.run()
        #expect(bench.output.forwardedTexts == ["held", "waits"])
        #expect(slow.deferrals.count == 1)
    }

    // MARK: Replacing

    @Test func theReplacingHandlerIsAskedFirst() throws {
        let bench = try RouterBench([Self.owner("media"), Self.owner("plugin", replaces: "media", .pass)])
        #expect(Self.names(bench.registry) == ["plugin", "media"])
        bench.route("x", in: quiz)
        #expect(bench.router.counts.dropped == ["media": 1])
        bench.registry.setEnabled(false, "media")
        bench.route("x", in: quiz)
        #expect(bench.output.forwardedTexts == ["x"])
    }

    @Test(arguments: [FailurePolicy.open, .closed])
    func whenItFailsThePolicyDecides(_ policy: FailurePolicy) throws {
        let failing = FunctionHandler("plugin", [Claim(.exact(quiz), onFailure: policy, replaces: "media")]) { _, _ in
            throw Oops()
        }
        let bench = try RouterBench([Self.owner("media"), failing])
        bench.route(#"{"requestId":1}"#, in: quiz)
        #expect(bench.router.counts.dropped == (policy == .open ? ["media": 1] : [:]))
        #expect(bench.router.counts.rejected == (policy == .open ? [:] : [Rejection.handlerFailed.reason: 1]))
    }

    @Test func twoThatReplaceTheSameAreInConflict() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: [
            Self.owner("media"), Self.owner("one", devices: ["x"], replaces: "media"),
            Self.owner("two", devices: ["y"], replaces: "media"),
        ])
        #expect(throws: GatewayError(.claimConflict, "")) {
            try registry.register(Self.owner("three", devices: ["x", "z"], replaces: "media"))
        }
        // Nor is another owner replaced by the way.
        #expect(throws: GatewayError(.claimConflict, "")) {
            try registry.replaceAll(with: [Self.owner("other"), Self.owner("one", replaces: "media")])
        }
        #expect(registry.summaries.map(\.replaces) == [[], ["media"], ["media"]])
    }

    // MARK: Circuit breakers

    private static func broken(_ name: String) -> FunctionHandler {
        FunctionHandler(name, [Claim(.exact(quiz))]) { _, _ in throw Oops() }
    }

    @Test func breakersOfWhatDidNotChangeStay() throws {
        let bench = try RouterBench([Self.broken("broken"), Self.owner("other", .exact(.media))])
        for _ in 0..<6 { bench.route("x", in: quiz) }
        #expect(bench.router.suspendedHandlers == ["broken"])
        bench.registry.setEnabled(false, "other")
        try bench.registry.register(Self.filter("new"))
        try bench.registry.follow(Self.plan(.init(name: "new"), .init(name: "broken", origin: "x:1:1")))
        bench.route("x", in: quiz)
        #expect(bench.router.suspendedHandlers == ["broken"])
        // Another deadline is another claim.
        try bench.registry.follow(Self.plan(.init(name: "broken", deadline: .seconds(3))))
        bench.route("x", in: .receiver)
        #expect(bench.router.suspendedHandlers.isEmpty)
    }

    /// A plugin that a reload leaves alone is the same object.
    @Test func anObjectThatIsRegisteredAgainKeepsItsBreakers() throws {
        final class Broken: MessageHandler {
            let name = "broken"
            let claims = [Claim(.exact(quiz))]
            func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict { throw Oops() }
        }
        let handler = Broken()
        let bench = try RouterBench([handler])
        for _ in 0..<6 { bench.route("x", in: quiz) }
        try bench.registry.replace(["broken"], with: [Self.filter("new"), handler])
        bench.route("x", in: quiz)
        #expect(bench.router.suspendedHandlers == ["broken"])
        try bench.registry.replace(["broken"], with: [Broken()])
        bench.route("x", in: .receiver)
        #expect(bench.router.suspendedHandlers.isEmpty)
    }

    // MARK: Replacing all at once

    @Test func aDryRunChangesNothing() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: [Self.owner("a"), Self.filter("b")])
        let table = registry.table
        try registry.checkReplacing(
            ["a"], with: [Self.owner("a"), Self.filter("c")], following: Self.plan(.init(name: "c")))
        #expect(throws: GatewayError(.claimConflict, "")) {
            try registry.checkReplacing(["a"], with: [Self.owner("a"), Self.owner("c")])
        }
        #expect(registry.table === table)
    }

    @Test func handlersAndPlanChangeTogether() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: [Self.owner("a"), Self.filter("b")])
        // The new owner would be in conflict under the old plan, the old one under the new plan.
        try registry.replace(
            ["b"], with: [Self.owner("c"), Self.filter("d")],
            following: Self.plan(.init(name: "d"), .init(name: "c")))
        #expect(Self.names(registry) == ["d", "c"])
    }
}
