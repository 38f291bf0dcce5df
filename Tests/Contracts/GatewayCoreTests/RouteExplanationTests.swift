import CastWire
import GatewayCore
import GatewayTesting
import Testing

@Suite struct RouteExplanationTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    private static func table() throws -> HandlerTable {
        let registry = HandlerRegistry()
        for (name, claim) in [
            ("web", Claim(.any, phase: .observe)),
            ("wide", Claim(.prefix("urn:x-cast:com.example."), onFailure: .closed)),
            ("rules", Claim(.any, phase: .filter)),
            ("quiz", Claim(.exact(quiz), types: ["B", "A"], deadline: .seconds(5))),
            ("elsewhere", Claim(.exact(quiz), types: ["Z"], devices: ["other"])),
        ] {
            try registry.register(FunctionHandler(name, [claim]) { _, _ in .pass })
        }
        return registry.table
    }

    private static func explain(
        _ namespace: Namespace, type: String? = nil, direction: MessageDirection = .toReceiver, target: String? = nil,
        settings: RouterSettings = RouterSettings()
    ) throws -> [String] {
        RouteExplanation(
            table: try self.table(), settings: settings, device: .test(target: target), namespace: namespace,
            type: type, direction: direction
        ).lines
    }

    @Test func theWholeChainStandsInOrder() throws {
        #expect(
            try Self.explain(Self.quiz, target: "lounge") == [
                "filter    rules                claims *, deadline 0.25 seconds, on failure open",
                "handle    quiz                 claims urn:x-cast:com.example.quiz, types A B, deadline 5.0 seconds, on failure open",
                "handle    wide                 claims urn:x-cast:com.example.*, deadline 1.0 seconds, on failure closed",
                "default   forward to device 'lounge'",
                "observe   web                  claims *",
            ])
    }

    /// Stands for a plugin that does not run.
    private struct Absent: MessageHandler {
        let name: String
        let claims: [Claim]
        var obstacle: String? { "it does not run" }
        func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict { .pass }
    }

    @Test func whoDoesNotRunIsNoOwner() throws {
        let registry = HandlerRegistry()
        try registry.register(Absent(name: "open", claims: [Claim(.exact(Self.quiz), onFailure: .open)]))
        try registry.register(FunctionHandler("next", [Claim(.prefix("urn:x-cast:com.example."))]) { _, _ in .pass })
        try registry.register(
            Absent(
                name: "closed", claims: [Claim(.any, phase: .filter, onFailure: .closed), Claim(.any, phase: .observe)])
        )
        let lines = RouteExplanation(
            table: registry.table, settings: RouterSettings(), device: .test(), namespace: Self.quiz, type: nil,
            direction: .toReceiver
        ).lines
        #expect(lines.map { $0.prefix { $0 != " " } } == ["filter", "skipped", "handle", "default", "skipped"])
        #expect(lines[0].hasSuffix("on failure closed: refuses the message, since it does not run"), "\(lines)")
        #expect(lines[1].hasSuffix("on failure open: it does not run"))
    }

    @Test func aTypeLeavesOutWhoDoesNotWantIt() throws {
        let lines = try Self.explain(Self.quiz, type: "C", settings: RouterSettings(defaultAction: .reject))
        #expect(!lines.contains { $0.contains(" quiz ") })
        #expect(lines.contains("default   reject"))
    }

    @Test func theWayToSendersAndTransportNamespacesAreNamed() throws {
        #expect(
            try Self.explain(Self.quiz, direction: .toSender) == ["default   to the senders that it is addressed to"])
        #expect(
            try Self.explain(.heartbeat) == [
                "gateway   urn:x-cast:com.google.cast.tp.heartbeat never reaches a handler; the gateway answers it itself"
            ])
        #expect(try Self.explain(.media).contains("default   forward to the built-in receiver"))
    }

    private struct StrictGuard: MessageGuard {
        func concerns(_ namespace: Namespace, _ direction: MessageDirection) -> Bool { direction == .toReceiver }
        func judge(_ message: RoutedMessage) -> GuardDecision { .pass }
        func explanation(of namespace: Namespace, _ direction: MessageDirection, device: String) -> [String] {
            ["refuses what is wrong on \(device)"]
        }
    }

    /// The order of the plan, where each handler is listed, what replaces what, and what is off.
    @Test func thePlanIsExplained() throws {
        let registry = HandlerRegistry()
        func handler(_ name: String, _ claim: Claim) -> FunctionHandler {
            FunctionHandler(name, [claim]) { _, _ in .pass }
        }
        try registry.replaceAll(
            with: [
                handler("owner", Claim(.exact(Self.quiz))), handler("first", Claim(.any, phase: .filter)),
                handler("plugin", Claim(.exact(Self.quiz), replaces: "owner")),
                handler("silent", Claim(.exact(Self.quiz), types: ["A"])),
                handler("left", Claim(.any, phase: .observe)),
                handler("elsewhere", Claim(.exact(.media))),
            ],
            following: HandlerPlan(entries: [
                .init(name: "first", origin: "g.yaml:3:5"), .init(name: "owner", origin: "g.yaml:4:5"),
                .init(name: "plugin", origin: "g.yaml:5:5"),
                .init(name: "silent", isEnabled: false, origin: "g.yaml:6:5"),
            ]),
            guardedBy: StrictGuard())
        func lines(_ direction: MessageDirection = .toReceiver, type: String? = nil) -> [String] {
            RouteExplanation(
                table: registry.table, settings: RouterSettings(), device: .test(), namespace: Self.quiz, type: type,
                direction: direction, handlers: registry.summaries
            ).lines
        }
        let rest = "deadline 1.0 seconds, on failure open"
        #expect(
            lines() == [
                "filter    first                claims *, deadline 0.25 seconds, on failure open, g.yaml:3:5",
                "guard     castway              refuses what is wrong on test",
                "handle    plugin               claims \(Self.quiz), \(rest), replaces owner, g.yaml:5:5",
                "handle    owner                claims \(Self.quiz), \(rest), g.yaml:4:5",
                "default   forward to the built-in receiver",
                "off       silent               off, g.yaml:6:5",
                "off       left                 off, not in 'handlers'",
            ])
        #expect(
            lines(type: "B").filter { $0.hasPrefix("off") } == ["off       left                 off, not in 'handlers'"]
        )
        #expect(lines(.toSender) == ["default   to the senders that it is addressed to"])
        try registry.follow(HandlerPlan(entries: [.init(name: "owner")]))
        #expect(lines()[1] == "handle    owner                claims \(Self.quiz), \(rest), default")
    }
}
