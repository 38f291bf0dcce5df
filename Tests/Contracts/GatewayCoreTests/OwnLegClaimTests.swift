import CastWire
import GatewayCore
import GatewayTesting
import Testing

/// Claims are about one leg: what is claimed for senders is never asked about the gateway's own sessions, nor the other way round.
@Suite struct OwnLegClaimTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    private static func handler(
        _ name: String, _ leg: MessageLeg, _ phase: RoutingPhase = .handle,
        _ directions: Set<MessageDirection> = Set(MessageDirection.allCases), _ verdict: Verdict = .drop("taken")
    ) -> FunctionHandler {
        FunctionHandler(name, [Claim(.exact(Self.quiz), phase: phase, directions: directions, leg: leg)]) { _, _ in
            verdict
        }
    }

    @Test(arguments: MessageLeg.allCases) func aClaimIsAskedOnItsLegAlone(_ leg: MessageLeg) throws {
        let other: MessageLeg = leg == .own ? .sender : .own
        for claimed in MessageLeg.allCases {
            for phase in [RoutingPhase.filter, .handle] {
                let bench = try RouterBench(
                    [Self.handler("taker", claimed, phase)], device: .test(name: "wall", leg: leg))
                for direction in MessageDirection.allCases {
                    bench.route("x", in: Self.quiz, connection: nil, direction: direction)
                }
                #expect(bench.output.forwardedTexts == (claimed == other ? ["x", "x"] : []), "\(claimed) \(phase)")
            }
        }
    }

    /// Owners of the same namespace on different legs are no conflict; on one leg they are.
    @Test func ownersOfDifferentLegsStandBesideEachOther() throws {
        _ = try RouterBench([Self.handler("a", .sender), Self.handler("b", .own)])
        #expect(throws: GatewayError.self) { try RouterBench([Self.handler("a", .own), Self.handler("b", .own)]) }
    }

    /// The plan's devices are virtual ones, so they leave claims on the other leg as they are.
    @Test func thePlanLimitsVirtualDevices() throws {
        let bench = try RouterBench([Self.handler("a", .own)], device: .test(name: "wall", leg: .own))
        try bench.registry.follow(HandlerPlan(entries: [.init(name: "a", devices: ["lobby"])]))
        bench.route("x", in: Self.quiz, connection: nil)
        #expect(bench.output.forwarded.isEmpty)
    }

    /// What the gateway says by itself is no sender's word: the guard has no say there.
    @Test func theGuardJudgesSenders() throws {
        struct Strict: MessageGuard {
            func concerns(_ namespace: Namespace, _ direction: MessageDirection) -> Bool { true }
            func judge(_ message: RoutedMessage) -> GuardDecision { .drop("strict") }
            func explanation(of namespace: Namespace, _ direction: MessageDirection, device: String) -> [String] { [] }
        }
        for leg in MessageLeg.allCases {
            let bench = try RouterBench([], guardedBy: Strict(), device: .test(leg: leg))
            bench.route("x", in: Self.quiz)
            #expect(bench.output.forwardedTexts == (leg == .own ? ["x"] : []))
        }
    }

    /// An app that asks is told; who asked the app is told by the session.
    @Test func aRefusalReachesWhoWaits() throws {
        let refusing = Self.handler("no", .own, .filter, Set(MessageDirection.allCases), .reject("NO"))
        let bench = try RouterBench([refusing], device: .test(leg: .own))
        let question = CastMessage.test(#"{"type":"ASK","requestId":7}"#, in: Self.quiz, from: "web-1", to: "sender-0")
        bench.route(question, connection: nil, direction: .toSender)
        guard case .toReceiver(let told, nil)? = bench.output.steps.first(where: { $0.isMessage }) else {
            Issue.record("\(bench.output.steps)")
            return
        }
        #expect(told.destination == "web-1" && told.payload.jsonObject?.string("reason") == "NO")
        bench.output.steps = []
        bench.router.route(
            RoutedMessage(
                question, direction: .toSender, device: bench.device, connection: nil,
                origin: MessageOrigin("api-admin", from: .api)))
        #expect(bench.output.toSenders.first?.source == "web-1")
    }

    /// An app may answer a caller by a message to all.
    @Test func aRefusedAnswerToAllReachesItsCaller() throws {
        let refusing = Self.handler("no", .own, .filter, Set(MessageDirection.allCases), .reject("NO"))
        let bench = try RouterBench([refusing], device: .test(leg: .own))
        let answer = CastMessage.test(#"{"type":"ASK","requestId":7}"#, in: Self.quiz, from: "web-1", to: "*")
        bench.router.route(
            RoutedMessage(
                answer, direction: .toSender, device: bench.device, connection: nil,
                origin: MessageOrigin("api-admin", from: .api)))
        let told = try #require(bench.output.toSenders.first)
        #expect(told.source == "web-1")
        #expect(told.payload.jsonObject?.string("reason") == "NO")
        #expect(told.payload.jsonObject?.int("requestId") == 7)
    }

    /// What an app says of its media answers a request of the gateway's own: the app is not told that this was wrong.
    @Test func aRefusedStatusIsNotAnswered() throws {
        let claim = Claim(.exact(.media), phase: .filter, directions: Set(MessageDirection.allCases), leg: .own)
        let refusing = FunctionHandler("no", [claim]) { _, _ in .reject("NO") }
        let bench = try RouterBench([refusing], device: .test(leg: .own))
        let status = CastMessage.test(
            #"{"type":"MEDIA_STATUS","requestId":7,"status":[]}"#, in: .media, from: "web-1", to: "sender-0")
        bench.route(status, connection: nil, direction: .toSender)
        #expect(!bench.output.steps.contains { $0.isMessage })
    }

    @Test func explanationsAreOfALeg() throws {
        let bench = try RouterBench([Self.handler("a", .sender), Self.handler("b", .own)])
        func lines(_ leg: MessageLeg) -> String {
            RouteExplanation(
                table: bench.registry.table, settings: RouterSettings(), device: .test(name: "wall", leg: leg),
                namespace: Self.quiz, type: nil, direction: .toSender
            ).lines.joined(separator: "\n")
        }
        #expect(lines(.own).contains(" b ") && !lines(.own).contains(" a "))
        #expect(lines(.sender).contains(" a ") && !lines(.sender).contains(" b "))
    }
}

extension RecordingOutput.Step {
    fileprivate var isMessage: Bool {
        switch self {
        case .forward, .toSenders, .toReceiver: true
        case .event, .flush: false
        }
    }
}
