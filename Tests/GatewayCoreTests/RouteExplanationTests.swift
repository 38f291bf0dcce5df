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
}
