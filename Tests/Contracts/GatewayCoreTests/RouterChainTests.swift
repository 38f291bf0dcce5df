import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"

/// Who is asked, in which order, and what becomes of their verdicts.
@Suite struct RouterChainTests {
    private static func claim(_ text: String, _ phase: RoutingPhase = .handle) throws -> Claim {
        Claim(try #require(NamespacePattern(text)), phase: phase)
    }

    private static func dropper(_ name: String, _ claims: [Claim]) -> FunctionHandler {
        FunctionHandler(name, claims) { _, _ in .drop(name) }
    }

    // MARK: Ownership

    @Test func theMostSpecificClaimOwnsTheMessage() throws {
        let bench = try RouterBench([
            Self.dropper("short", [try Self.claim("urn:x-cast:com.*")]),
            Self.dropper("long", [try Self.claim("urn:x-cast:com.example.*")]),
            Self.dropper("exact", [Claim(.exact(quiz))]),
        ])
        bench.route("x", in: quiz)
        bench.route("x", in: "urn:x-cast:com.example.chess")
        bench.route("x", in: "urn:x-cast:com.other")
        bench.route("x", in: "urn:x-cast:org.other")
        #expect(bench.router.counts.dropped == ["exact": 1, "long": 1, "short": 1])
        #expect(bench.output.forwarded.count == 1)
    }

    @Test func passingAsksTheNextCandidate() throws {
        let asked = Mutex<[String]>([])
        func passer(_ name: String, _ pattern: String) throws -> FunctionHandler {
            FunctionHandler(name, [try Self.claim(pattern)]) { _, _ in
                asked.withLock { $0.append(name) }
                return .pass
            }
        }
        let bench = try RouterBench([
            try passer("short", "urn:x-cast:com.*"), try passer("exact", quiz.rawValue),
            try passer("long", "urn:x-cast:com.example.*"),
        ])
        bench.route("x", in: quiz)
        #expect(asked.withLock { $0 } == ["exact", "long", "short"])
        #expect(bench.output.forwardedTexts == ["x"])
    }

    @Test func aClaimMayBeRestrictedToTypesAndDevices() throws {
        let bench = try RouterBench([
            Self.dropper("types", [Claim(.exact(quiz), types: ["A", "B"])]),
            Self.dropper("elsewhere", [Claim(.exact(.media), devices: ["other"])]),
            Self.dropper("here", [Claim(.exact(.receiver), devices: ["test"])]),
        ])
        for text in [#"{"type":"A"}"#, #"{"type":"C"}"#, "no json"] { bench.route(text, in: quiz) }
        bench.route("x", in: .media)
        bench.route("x", in: .receiver)
        #expect(bench.router.counts.dropped == ["types": 1, "here": 1])
        #expect(bench.output.forwardedTexts == [#"{"type":"C"}"#, "no json", "x"])
    }

    @Test func equalClaimsAreAnErrorUnlessTheyCannotMeet() throws {
        func conflict(_ left: Claim, _ right: Claim) -> Bool {
            let registry = HandlerRegistry()
            do {
                try registry.register(Self.dropper("left", [left]))
                try registry.register(Self.dropper("right", [right]))
                return false
            } catch {
                #expect(error.code == .claimConflict)
                #expect(registry.table.entries.count == 1)
                return true
            }
        }
        #expect(conflict(Claim(.exact(quiz)), Claim(.exact(quiz))))
        #expect(conflict(Claim(.exact(quiz), types: ["A"]), Claim(.exact(quiz))))
        #expect(conflict(Claim(.exact(quiz), types: ["A", "B"]), Claim(.exact(quiz), types: ["B"])))
        #expect(conflict(Claim(.prefix("urn:x-cast:a.")), Claim(.prefix("urn:x-cast:a."))))
        #expect(!conflict(Claim(.exact(quiz), types: ["A"]), Claim(.exact(quiz), types: ["B"])))
        #expect(!conflict(Claim(.exact(quiz), devices: ["A"]), Claim(.exact(quiz), devices: ["B"])))
        #expect(!conflict(Claim(.exact(quiz)), Claim(.exact(quiz), directions: [.toSender])))
        #expect(!conflict(Claim(.exact(quiz)), Claim(.exact(quiz), apps: ["A"])))
        #expect(!conflict(Claim(.exact(quiz), apps: ["A"]), Claim(.exact(quiz), apps: ["B"])))
        #expect(conflict(Claim(.exact(quiz), apps: ["A"]), Claim(.exact(quiz), apps: ["A", "B"])))
        #expect(!conflict(Claim(.exact(quiz), phase: .filter), Claim(.exact(quiz), phase: .filter)))
        #expect(!conflict(Claim(.exact(quiz)), Claim(.prefix("urn:x-cast:com.example."))))
    }

    @Test func impossibleRegistrationsAreRefused() throws {
        let registry = HandlerRegistry()
        try registry.register(Self.dropper("a", [Claim(.exact(quiz))]))
        #expect(throws: GatewayError(.handlerExists, "")) {
            try registry.register(Self.dropper("a", [Claim(.exact(.media))]))
        }
        #expect(throws: GatewayError(.invalidClaim, "")) { try registry.register(Self.dropper("b", [Claim(.any)])) }
        #expect(throws: GatewayError(.invalidClaim, "")) {
            try registry.register(Self.dropper("b", [Claim(.prefix("urn:x-cast:com.example"))]))
        }
        try registry.register(Self.dropper("b", [Claim(.any, phase: .filter), Claim(.any, phase: .observe)]))
    }

    // MARK: Filters

    @Test func filtersRunInOrderAndSeeWhatTheEarlierOnesLeft() throws {
        func appender(_ letter: String) -> FunctionHandler {
            FunctionHandler(letter, [Claim(.any, phase: .filter)]) { routed, _ in
                .rewrite(.text((routed.message.payload.text ?? "") + letter))
            }
        }
        let bench = try RouterBench([appender("1"), appender("2"), appender("3")])
        bench.route("x", in: quiz)
        #expect(bench.output.forwardedTexts == ["x123"])
    }

    @Test func aFilterThatRefusesEndsTheWay() throws {
        let guardian = FunctionHandler("guard", [Claim(.any, phase: .filter)]) { _, _ in .reject(.notAllowed("closed"))
        }
        let bench = try RouterBench([guardian, Self.dropper("owner", [Claim(.exact(quiz))])])
        bench.route(#"{"type":"X","requestId":3}"#, in: quiz)
        #expect(bench.output.forwarded.isEmpty)
        #expect(bench.router.counts.dropped.isEmpty)
        #expect(
            bench.output.toSenders.first?.payload.jsonObject
                == ["type": "INVALID_REQUEST", "requestId": 3, "reason": "NOT_ALLOWED", "message": "closed"])
        #expect(bench.output.events == [.messageRejected(device: "test", handler: "guard", reason: "NOT_ALLOWED")])
    }

    /// As an owner does: with ends swapped, before the owner, and seen by observers.
    @Test func aFilterMayReply() throws {
        let observed = Mutex(0)
        let filter = FunctionHandler("filter", [Claim(.any, phase: .filter, types: ["ASK"])]) { _, _ in
            .reply(["type": "ANSWER", "requestId": 3])
        }
        let observer = FunctionHandler("observer", [Claim(.any, phase: .observe)]) { _, _ in
            observed.withLock { $0 += 1 }
            return .pass
        }
        let bench = try RouterBench([filter, Self.dropper("owner", [Claim(.exact(quiz))]), observer])
        bench.route(#"{"type":"ASK","requestId":3}"#, in: quiz, to: "app")
        #expect(
            bench.output.steps == [
                .toSenders(
                    .test(#"{"type":"ANSWER","requestId":3}"#, in: quiz, from: "app", to: .platformSender),
                    ConnectionID(rawValue: 1))
            ])
        #expect(bench.router.counts.dropped.isEmpty)
        #expect(bench.router.counts.failures == 0)
        #expect(observed.withLock { $0 } == 1)
    }

    @Test func verdictsThatAPhaseDoesNotAllowCountAsFailures() throws {
        let forbidden: [(RoutingPhase, Verdict)] = [
            (.filter, .forward), (.filter, .handled()), (.handle, .rewrite(.text("y"))),
            (.filter, .deferred), (.handle, .deferred),
        ]
        for (phase, verdict) in forbidden {
            let bench = try RouterBench([FunctionHandler("h", [Claim(.exact(quiz), phase: phase)]) { _, _ in verdict }])
            bench.route("x", in: quiz)
            #expect(bench.router.counts.failures == 1, "\(phase) \(verdict)")
            #expect(bench.output.forwardedTexts == ["x"], "\(phase) \(verdict)")
        }
    }

    // MARK: Verdicts

    @Test func anOwnerMayReplyForwardOrTakeAMessage() throws {
        let owner = FunctionHandler("owner", [Claim(.exact(quiz))]) { routed, _ in
            switch routed.summary.type {
            case "REPLY": .reply(["requestId": 9])
            case "CHANGE": .forward(.text("changed"))
            default: .handled(.emit(event: "quiz.answered", data: true))
            }
        }
        let bench = try RouterBench([owner])
        bench.route(#"{"type":"REPLY"}"#, in: quiz, to: "app")
        bench.route(#"{"type":"CHANGE"}"#, in: quiz)
        bench.route("{}", in: quiz)
        #expect(
            bench.output.steps == [
                .toSenders(
                    .test(#"{"requestId":9}"#, in: quiz, from: "app", to: .platformSender), ConnectionID(rawValue: 1)),
                .forward(.test("changed", in: quiz)), .event(.custom(name: "quiz.answered", data: true)),
            ])
    }

    @Test func effectsRunInOrderBehindTheDisposition() throws {
        let one = CastMessage.test("1", in: quiz, from: .platformReceiver, to: .platformSender)
        let two = CastMessage.test("2", in: quiz)
        let three = CastMessage.test("3", in: .media, from: .platformReceiver, to: .broadcast)
        let event = GatewayEvent.custom(name: "four", data: .null)
        let owner = FunctionHandler("owner", [Claim(.exact(quiz))]) { _, _ in
            Verdict(
                .forward(nil),
                effects: [
                    .replyToSender(payload: .text("1")), .sendToReceiver(payload: .text("2")),
                    .broadcast(namespace: .media, payload: .text("3")), .emit(event: "four", data: .null),
                ])
        }
        let bench = try RouterBench([owner])
        let channel = ConnectionID(rawValue: 1)
        bench.route("x", in: quiz)
        #expect(
            bench.output.steps == [
                .forward(.test("x", in: quiz)), .toSenders(one, channel), .toReceiver(two, channel),
                .toSenders(three, channel), .event(event),
            ])
    }

    @Test func theDefaultForwardsOrRejects() throws {
        let bench = try RouterBench(settings: RouterSettings(defaultAction: .reject))
        bench.route(#"{"requestId":1}"#, in: quiz)
        bench.route("from the device", in: quiz, connection: nil, direction: .toSender)
        #expect(bench.output.toSenders.first?.payload.jsonObject?.string("reason") == "NOT_SUPPORTED")
        #expect(bench.output.forwardedTexts == ["from the device"])
    }

    @Test func whatTheDeviceSaysReachesOnlyClaimsOnThatWay() throws {
        let bench = try RouterBench([
            Self.dropper("in", [Claim(.exact(quiz))]),
            Self.dropper("out", [Claim(.exact(quiz), directions: [.toSender])]),
        ])
        bench.route("x", in: quiz, direction: .toSender)
        #expect(bench.router.counts.dropped == ["out": 1])
    }

    @Test func whoeverWaitsIsToldWhenADevicesAnswerIsRefused() throws {
        let guardian = FunctionHandler("guard", [Claim(.any, phase: .filter, directions: [.toSender])]) { _, _ in
            .reject(.notAllowed())
        }
        let bench = try RouterBench([guardian])
        bench.route(
            #"{"type":"X","requestId":3}"#, in: quiz, from: "app", to: "sender-1", direction: .toSender)
        bench.route(#"{"type":"X","requestId":4}"#, in: quiz, from: "app", to: .broadcast, direction: .toSender)
        let answer = try #require(bench.output.toSenders.first)
        #expect(bench.output.toSenders.count == 1)
        #expect(answer.source == "app" && answer.destination == "sender-1")
        #expect(answer.payload.jsonObject?.int("requestId") == 3)
        #expect(!bench.output.steps.contains { if case .toReceiver = $0 { true } else { false } })
    }

    // MARK: Observers

    @Test func observersSeeWhatTheCandidatesSaw() throws {
        let seen = Mutex<[String]>([])
        let filter = FunctionHandler("filter", [Claim(.any, phase: .filter)]) { _, _ in
            .rewrite(.text("filtered"))
        }
        let owner = FunctionHandler("owner", [Claim(.exact(quiz))]) { _, _ in .forward(.text("owned")) }
        let observer = FunctionHandler("observer", [Claim(.any, phase: .observe)]) { routed, _ in
            seen.withLock { $0.append(routed.message.payload.text ?? "") }
            return .drop("has no say")
        }
        let bench = try RouterBench([observer, owner, filter])
        bench.route("x", in: quiz)
        #expect(seen.withLock { $0 } == ["filtered"])
        #expect(bench.output.forwardedTexts == ["owned"])
        #expect(bench.router.counts.dropped.isEmpty)
    }

    @Test func observersCannotDelayAndAreSuspendedWhenTheyKeepFailing() throws {
        struct Oops: Error {}
        let calls = Mutex(0)
        let waiting = DeferringHandler("waiting", [Claim(.any, phase: .observe)])
        let broken = FunctionHandler("broken", [Claim(.any, phase: .observe)]) { _, _ in
            calls.withLock { $0 += 1 }
            throw Oops()
        }
        let bench = try RouterBench([waiting, broken], settings: RouterSettings(onFailure: .closed))
        for _ in 0..<8 { bench.route("x", in: quiz) }
        #expect(bench.output.forwarded.count == 8)
        #expect(waiting.messages.count == 8)
        #expect(calls.withLock { $0 } == 5)
    }

    // MARK: Life

    @Test func idlenessIsReportedHoweverItComes() throws {
        for end in ["verdict", "deadline", "connection", "shutdown"] {
            let slow = DeferringHandler("slow", [Claim(.exact(quiz))])
            let bench = try RouterBench([slow])
            var isIdle = false
            bench.route("x", in: quiz)
            bench.router.whenIdle { isIdle = true }
            #expect(!isIdle)
            switch end {
            case "verdict": slow.deferrals[0].complete(with: .forward)
            case "deadline": bench.loop.advanceTime(by: .seconds(1))
            case "connection": bench.router.connectionClosed(ConnectionID(rawValue: 1))
            default: bench.router.shutdown()
            }
            bench.loop.run()
            #expect(isIdle, "\(end)")
        }
    }

    @Test func aClosedConnectionTakesOnlyItsOwnFlows() throws {
        let slow = DeferringHandler("slow", [Claim(.exact(quiz))])
        let bench = try RouterBench([slow])
        bench.route("one", in: quiz, connection: 1)
        bench.route("two", in: quiz, connection: 2)
        bench.router.connectionClosed(ConnectionID(rawValue: 1))
        for deferral in slow.deferrals { deferral.complete(with: .forward) }
        bench.loop.advanceTime(by: .seconds(2))
        #expect(bench.output.forwardedTexts == ["two"])
    }

    @Test func aVerdictThatComesAfterTheRoutersOwnerIsIgnored() throws {
        let slow = DeferringHandler("slow", [Claim(.exact(quiz))])
        var bench: RouterBench? = try RouterBench([slow])
        let loop = try #require(bench?.loop)
        bench?.route("x", in: quiz)
        bench = nil
        slow.deferrals[0].complete(with: .forward)
        loop.advanceTime(by: .seconds(2))
    }

    @Test func aHandlersLogLinesCarryItsName() throws {
        let log = LogRecorder()
        let handler = FunctionHandler("chatty", [Claim(.exact(quiz))]) { _, context in
            context.logger.info("Hello")
            return .pass
        }
        let bench = try RouterBench([handler], logger: log.logger())
        bench.route("x", in: quiz)
        let metadata = log.entries.first { $0.message == "Hello" }?.metadata
        #expect(metadata?["handler"] == "chatty")
    }
}
