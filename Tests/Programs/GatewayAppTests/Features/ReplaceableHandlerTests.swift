import CastWire
import GatewayConfig
import GatewayCore
import GatewaySettings
import PluginHosting
import Testing

/// Handlers of Castway's own in whose place plugins are asked.
@Suite struct ReplaceableHandlerTests {
    /// Names and namespaces stand in `PluginHosting`, which does not know the handlers.
    @Test func everyOwnerIsReplaceableByItsNameAndItsNamespaces() {
        var owned: [String: Set<String>] = [:]
        for handler in GatewayConfiguration().builtInHandlers {
            for claim in handler.claims where claim.phase == .handle {
                owned[handler.name, default: []].insert("\(claim.pattern)")
            }
        }
        let replaceable = Dictionary(
            ReplaceableHandler.allCases.map { ($0.rawValue, Set($0.namespaces.map(\.rawValue))) },
            uniquingKeysWith: { first, _ in first })
        #expect(owned == replaceable)
    }

    private static func load(_ grant: String, handlers: String = "") -> GatewayConfigurationResult {
        let file = """
            version: 1
            virtual_devices:
              - {name: hall, listen: "127.0.0.1:0", target: local}
              - {name: foyer, listen: "127.0.0.1:0", target: local}
            plugins:
              directory: folders
              defaults: {on_failure: closed}
              instances:
                - {name: film, plugin: film, grant: \(grant)}
            """
        let manifest = """
            manifest: 1
            id: film
            version: 1.0.0
            exec: [python3, film.py]
            claims: [{match: "urn:x-cast:com.example.film", phase: handle}]
            replaces: [media, setup]
            """
        return GatewayConfiguration.load(
            path: "gateway.yaml",
            fileSystem: .memory(["gateway.yaml": file, "folders/film/plugin.yaml": manifest]), environment: [:])
    }

    private static func claims(_ grant: String) throws -> [Claim] {
        let result = Self.load(grant)
        let configuration = try #require(result.configuration, "\(result.report.text())")
        return try #require(configuration.plugins.silentHandlers.first).claims
    }

    @Test func aNameGrantsAllOfTheHandlersMessages() throws {
        let claims = try Self.claims("{replaces: [media, setup]}")
        #expect(claims.map(\.pattern) == [.exact(.media), .exact(.setup), .exact(.discovery)])
        #expect(claims.map(\.replaces) == ["media", "setup", "setup"])
        #expect(claims.allSatisfy { $0.phase == .handle && $0.directions == [.toReceiver, .toSender] })
        #expect(claims.allSatisfy { $0.devices == nil && $0.types == nil && $0.onFailure == .closed })
    }

    @Test func aMappingNarrowsIt() throws {
        let claim = try #require(
            try Self.claims("{replaces: [{handler: media, devices: [hall], deadline: 3s, on_failure: open}]}").first)
        #expect(claim.devices == ["hall"])
        #expect(claim.deadline == .seconds(3))
        #expect(claim.onFailure == .open)
        #expect(claim.replaces == "media")
    }

    /// What a manifest can replace is not what the plugin gets by an upgrade.
    @Test func theManifestAloneGrantsNoReplacement() throws {
        let claims = try Self.claims("{as: manifest}")
        #expect(claims.map { "\($0.pattern)" } == ["urn:x-cast:com.example.film"])
        #expect(claims.allSatisfy { $0.replaces == nil })
        let both = try Self.claims("{as: manifest, replaces: [media]}")
        #expect(both.map(\.replaces) == [nil, "media"])
    }

    @Test func theGatewaysHandlersStayRegisteredBehindIt() throws {
        let configuration = try #require(Self.load("{replaces: [media]}").configuration)
        let registry = HandlerRegistry()
        try registry.replaceAll(with: configuration.builtInHandlers + configuration.plugins.silentHandlers)
        let chain = registry.table.chain(for: .media, direction: .toReceiver)
        #expect(chain.candidates.map(\.handler.name) == ["film", "media"])
        let back = registry.table.chain(for: .media, direction: .toSender)
        #expect(back.candidates.map(\.handler.name) == ["film"])
    }

    @Test func theGrantSaysInOneLineWhatIsReplaced() throws {
        let configuration = try #require(Self.load("{replaces: [{handler: media, devices: [hall]}]}").configuration)
        #expect(
            configuration.plugins.instances.first?.grantSummary == "replaces media on hall")
    }
}
