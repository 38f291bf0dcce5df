import BuiltInReceiver
import CastWire
import GatewayConfig
import GatewaySettings
import Testing

/// `apps: {preset: …}` as it is read and described.
@Suite struct AppPresetConfigurationTests {
    private static func load(_ apps: String, target: String = "local") -> GatewayConfigurationResult {
        let text = """
            version: 1
            discovery: {static: [{name: wall, address: 192.0.2.40}]}
            virtual_devices:
              - {name: a, listen: "127.0.0.1:8009", target: \(target), apps: \(apps)}

            """
        return GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
    }

    private static func apps(_ text: String, target: String = "local") throws -> [VirtualAppConfiguration] {
        let result = Self.load(text, target: target)
        return try #require(result.configuration?.virtualDevices.first?.apps, "\(result.report.text())")
    }

    @Test func oneOrSeveralPresetsGiveTheirApps() throws {
        #expect(try Self.apps("{preset: default-media}").map(\.id) == ["CC1AD845"])
        let several = try Self.apps("{preset: [music-assistant, home-assistant]}")
        #expect(several.map(\.id) == ["C35B0678", "A078F6B0", "B45F4572"])
        #expect(several.map(\.player) == [.simulated, .none, .simulated])
        #expect(several.map(\.name) == ["Music Assistant", "Home Assistant Lovelace", "Home Assistant Media"])
        #expect(several.first?.namespaces == ["urn:x-cast:io.music-assistant.cast"])
    }

    @Test func whatIsWrittenForAnIdHolds() throws {
        let apps = try Self.apps(
            "{ABCD1234: {name: Quiz}, preset: [music-assistant, catt], C35B0678: {name: Music}, 84912283: {}}")
        #expect(apps.map(\.id) == ["C35B0678", "84912283", "ABCD1234"])
        #expect(apps.map(\.name) == ["Music", "DashCast", "Quiz"])
        #expect(apps.map(\.isPreset) == [false, false, false])
        // What is not written stays as the preset has it.
        #expect(apps[0].player == .simulated)
        #expect(apps[1].namespaces == ["urn:x-cast:com.madmod.dashcast"])
        let own = try Self.apps("{preset: catt, 84912283: {namespaces: [\"urn:x-cast:com.example.page\"]}}")
        #expect(own[0].namespaces == ["urn:x-cast:com.example.page"])
    }

    @Test func onARelayThePresetsAreIds() throws {
        let apps = try Self.apps("{preset: [default-media, catt]}", target: "{device: wall}")
        #expect(apps.map(\.id) == ["CC1AD845", "84912283"])
        #expect(apps.allSatisfy { $0.player == .none })
        #expect(Self.load("{preset: [default-media, catt]}", target: "{device: wall}").problems.isEmpty)
    }

    /// Nothing shows pages on the built-in receiver, which `check` says unless an app is wanted as it is.
    @Test func whatNeverPlaysIsWarnedOf() {
        let result = Self.load("{preset: [default-media, catt]}")
        #expect(result.configuration != nil)
        #expect(result.problems.map(\.code) == [.neverRuns])
        #expect(result.problems.first?.message.contains("'catt' plays nothing on the built-in receiver") == true)
        #expect(Self.load("{preset: [default-media, catt], 84912283: {}}").problems.isEmpty)
    }

    @Test func theListOfIdsStaysAsItWas() throws {
        #expect(try Self.apps("[CC1AD845, ABCD1234]").map(\.player) == [.simulated, .none])
        // In a list it is an id like any other.
        #expect(try Self.apps("[preset]").map(\.id) == ["preset"])
    }

    @Test func thePrintedFormReadsBack() throws {
        let result = Self.load("{preset: [default-media, music-assistant], C35B0678: {name: Music}}")
        let printed = result.document.effectiveText(origins: false)
        let again = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": printed]), environment: [:])
        #expect(again.configuration?.virtualDevices == result.configuration?.virtualDevices)
    }

    @Test func editorsAndReadersAreToldOfThem() {
        let schema = GatewayConfiguration.jsonSchema()
        #expect(schema.contains("\"music-assistant\""))
        let reference = GatewayConfiguration.referenceMarkdown()
        #expect(reference.contains("## `virtual_devices[].apps`\n"))
        #expect(reference.contains("`default-media` · `backdrop` · `music-assistant` · `catt` · `home-assistant`"))
    }
}
