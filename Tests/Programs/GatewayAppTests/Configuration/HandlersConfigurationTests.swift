import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewaySettings
import NamespaceHandlers
import Testing

/// What `handlers` comes to: the plan of the router, and what is told of it.
@Suite struct HandlersConfigurationTests {
    private static let rest = """
        virtual_devices:
          - {name: lobby, listen: "127.0.0.1:8009", target: local}
          - {name: room-1, listen: "127.0.0.1:8010", target: local}
          - {name: room-2, listen: "127.0.0.1:8011", target: local}
        channels:
          - {namespace: "urn:x-cast:com.example.a", handler: echo}
          - {namespace: "urn:x-cast:com.example.b", handler: echo}
        """

    private static func load(_ handlers: String) -> GatewayConfigurationResult {
        GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": "version: 1\n\(handlers)\n\(Self.rest)\n"]),
            environment: [:])
    }

    private static func plan(_ handlers: String) throws -> HandlerPlan {
        try #require(Self.load(handlers).configuration).handlerPlan
    }

    @Test func withoutAListEveryHandlerIsAsked() throws {
        let result = Self.load("")
        #expect(result.problems.isEmpty)
        #expect(try #require(result.configuration).handlerPlan == HandlerPlan())
        let lines = result.document.effectiveText(origins: true).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex(of: "handlers:"))
        #expect(lines[start + 1] == "  - use: rules  # default")
        #expect(
            lines[start...].prefix { !$0.hasPrefix("channels") }.filter { $0.contains("use: ") }.map {
                String($0.dropFirst("  - use: ".count).prefix { $0 != " " })
            } == ["rules", "launch-credentials", "receiver", "media", "multizone", "setup", "channel", "plugin"])
    }

    @Test func aListIsThePlanInItsOrder() throws {
        let plan = try Self.plan(
            """
            handlers:
              - {use: media, devices: ["room-*", lobby], deadline: 2s, on_failure: closed}
              - {use: receiver, enabled: false}
            """)
        var media = HandlerPlan.Entry(
            name: "media", devices: ["lobby", "room-1", "room-2"], deadline: .seconds(2), onFailure: .closed,
            origin: "gateway.yaml:3:6")
        media.writtenDevices = ["room-*", "lobby"]
        #expect(
            plan.entries == [
                media,
                HandlerPlan.Entry(name: "receiver", isEnabled: false, origin: "gateway.yaml:4:6"),
                HandlerPlan.Entry(name: "casting log"),
            ])
    }

    /// A channel or plugin that is named keeps its own place; the others come where the kind stands.
    @Test func aKindStandsForAllThatAreNotNamed() throws {
        let plan = try Self.plan(
            """
            handlers:
              - {use: channel}
              - {use: media}
              - {use: channel, namespace: "urn:x-cast:com.example.a"}
            """)
        #expect(
            plan.entries?.map(\.name) == [
                "channel urn:x-cast:com.example.b", "media", "channel urn:x-cast:com.example.a", "casting log",
            ])
    }

    @Test func whatIsLeftOutIsTold() {
        let problems = Self.load("handlers: [{use: channel, namespace: \"urn:x-cast:com.example.a\"}]").problems
        #expect(problems.map(\.code) == [.handlerOff])
        #expect(problems.map(\.severity) == [.warning])
        #expect(
            problems.first?.message
                == "not listed in 'handlers', and so off: receiver, media, multizone, setup, "
                + "channel 'urn:x-cast:com.example.b'")
    }

    @Test func aListThatNamesAllIsNotWarnedOf() {
        let handlers = """
            handlers: [{use: receiver, enabled: false}, {use: media, enabled: false}, {use: multizone, enabled: false},
              {use: setup, enabled: false}, {use: channel, enabled: false}]
            """
        #expect(Self.load(handlers).problems.isEmpty)
    }

    @Test func whereAListIsWrittenIsNoDifference() throws {
        let one = try #require(Self.load("handlers: [{use: media}]").configuration)
        let other = try #require(Self.load("\n\nhandlers:\n  - {use: media}").configuration)
        #expect(one.handlers == other.handlers)
        #expect(ReloadPlan(from: one, to: other).changes.isEmpty)
        #expect(one.handlers != HandlersConfiguration())
    }

    /// With everything off the guard holds.
    @Test func theGuardIsNotInTheList() throws {
        let configuration = try #require(Self.load("handlers: []").configuration)
        #expect(configuration.handlerPlan.entries?.map(\.name) == ["casting log"])
        #expect(configuration.messageGuard.concerns(.receiver, .toReceiver))
    }
}
