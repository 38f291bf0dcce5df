import CastWire
import GatewayConfig
import GatewayCore
import Testing

@testable import NamespaceHandlers

@Suite struct BuiltInHandlersTests {
    private let channel = ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo)
    private let rule = RoutingRule(name: "r", condition: RoutingCondition(type: ["X"]), action: .drop)

    @Test func everythingInOrder() throws {
        let handlers = BuiltInHandlers.make(
            routing: RoutingConfiguration { $0.rules = [self.rule] },
            launch: LaunchSettings(LaunchConfiguration { $0.androidReceiverCompatible = true }),
            channels: [self.channel])
        // Whatever else there is: a new handler needs no line here.
        let expected = [
            "rules", "launch-credentials", "receiver", "media", "multizone", "setup",
            "channel urn:x-cast:com.example.echo",
        ]
        #expect(handlers.map(\.name).filter(expected.contains) == expected)
        // Together they are a table without conflicts.
        try HandlerRegistry().replaceAll(with: handlers)
    }

    @Test func whatHasNothingToDoIsLeftOut() {
        let handlers = BuiltInHandlers.make(
            routing: RoutingConfiguration(), launch: LaunchSettings(LaunchConfiguration()), channels: [])
        let names = Set(handlers.map(\.name))
        #expect(names.isDisjoint(with: ["rules", "launch-credentials", "casting log"]))
        #expect(!names.contains { $0.hasPrefix("channel ") })
    }

    /// Credentials may be set while the gateway runs, and are wanted in a LOAD perhaps.
    @Test func settingsThatMayChangeHaveTheirHandlers() {
        let handlers = BuiltInHandlers.make(
            routing: RoutingConfiguration(), launch: LaunchSettings(LaunchConfiguration(), events: EventBus()),
            channels: [])
        #expect(handlers.first?.name == "launch-credentials")
        #expect(handlers.first?.claims.map(\.pattern) == [.exact(.receiver), .exact(.media)])
    }

    /// A rule judges what a sender asked for, before credentials are put in.
    @Test func rulesComeBeforeCredentials() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: BuiltInHandlers.make(
                routing: RoutingConfiguration { $0.rules = [self.rule] },
                launch: LaunchSettings(
                    LaunchConfiguration { $0.defaultCredentials = LaunchCredentials(credentials: Secret("x")) }),
                channels: []))
        let chain = registry.table.chain(for: .receiver, direction: .toReceiver)
        #expect(chain.filters.map(\.handler.name) == ["rules", "launch-credentials"])
        #expect(chain.candidates.map(\.handler.name) == ["receiver"])
    }
}
