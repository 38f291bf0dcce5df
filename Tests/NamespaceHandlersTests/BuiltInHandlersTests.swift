import CastWire
import GatewayConfig
import GatewayCore
import Testing

@testable import NamespaceHandlers

@Suite struct BuiltInHandlersTests {
    private let channel = ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo)
    private let rule = RoutingRule(name: "r", condition: RoutingCondition(type: "X"), action: .drop)

    @Test func everythingInOrder() throws {
        let handlers = BuiltInHandlers.make(
            routing: RoutingConfiguration(rules: [self.rule]),
            launch: LaunchConfiguration(androidReceiverCompatible: true), channels: [self.channel], relayedApps: [:])
        #expect(
            handlers.map(\.name) == [
                "rules", "launch-credentials", "receiver", "media", "multizone", "setup",
                "channel urn:x-cast:com.example.echo",
            ])
        // Together they are a table without conflicts.
        try HandlerRegistry().replaceAll(with: handlers)
    }

    @Test func whatHasNothingToDoIsLeftOut() {
        let handlers = BuiltInHandlers.make(
            routing: RoutingConfiguration(), launch: LaunchConfiguration(), channels: [], relayedApps: [:])
        #expect(handlers.map(\.name) == ["receiver", "media", "multizone", "setup"])
    }

    /// A rule judges what a sender asked for, before credentials are put in.
    @Test func rulesComeBeforeCredentials() throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: BuiltInHandlers.make(
                routing: RoutingConfiguration(rules: [self.rule]),
                launch: LaunchConfiguration(
                    defaultCredentials: LaunchCredentials(credentials: Secret("x"))), channels: [], relayedApps: [:]))
        let chain = registry.table.chain(for: .receiver, direction: .toReceiver)
        #expect(chain.filters.map(\.handler.name) == ["rules", "launch-credentials"])
        #expect(chain.candidates.map(\.handler.name) == ["receiver"])
    }
}
