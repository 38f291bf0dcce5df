import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewaySettings
import Testing

/// What depends on the machine and on the day, so that no golden file can show it.
@Suite struct CompleteCheckTests {
    private func load(
        _ text: String, machine: MachineAddresses = MachineAddresses(), now: Int64 = 1_800_000_000
    ) -> GatewayConfigurationResult {
        let fixtures = ConfigFixtures.fileSystem("GoodConfigs")
        let fileSystem = ConfigFileSystem(
            read: { (path, limit) throws(ConfigFileError) in
                path == "gateway.yaml" ? Array(text.utf8) : try fixtures.read(path, limit)
            }, find: { _, _ in [] }, permissions: { _ in 0o600 })
        return GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: fileSystem, environment: [:], machine: machine, now: now)
    }

    @Test func aRelayToTheMachinesOwnAddressIsALoop() throws {
        let text = """
            version: 1
            discovery: {static: [{name: hall, address: 192.0.2.7}]}
            virtual_devices: [{name: lobby, listen: "0.0.0.0:8009", target: {device: hall}}]

            """
        #expect(self.load(text).configuration != nil)
        let machine = MachineAddresses(addresses: Set(["192.0.2.7"].compactMap(IPAddress.init)))
        let problem = try #require(self.load(text, machine: machine).problems.first)
        #expect(problem.code == .relayLoop)
        #expect(
            problem.message
                == "the virtual device 'lobby' relays to itself: 'lobby' → device 'hall' (192.0.2.7:8009) → 'lobby'")
    }

    @Test func aRootThatHasExpiredIsRefused() throws {
        let text = """
            version: 1
            identity: {root_certificate_file: identity/root.crt, root_private_key_file: identity/root.key}

            """
        #expect(self.load(text).configuration != nil)
        let problem = try #require(self.load(text, now: 9_000_000_000).problems.first)
        #expect(problem.code == .unusableFile)
        #expect(
            problem.message.hasPrefix("'identity.root_certificate_file' cannot be used: root certificate: expired at "))
    }

    /// Devices are not asked for proofs, so the files are not read.
    @Test func anchorsThatAreNotReadMayBeMissing() {
        let text = "version: 1\nconnections: {verify_device_certificate: off, trust_anchors: [none.pem]}\n"
        #expect(self.load(text.replacing(" off", with: " \"off\"")).configuration != nil)
        #expect(self.load(text.replacing(" off", with: " warn")).problems.map(\.code) == [.unusableFile])
    }

    /// A plugin whose folder is not complete fails in a strict sandbox alone, so the check tells of it there.
    @Test(arguments: ["basic", "strict"]) func aLinkOutOfAPluginsFolderIsTold(sandbox: String) async throws {
        try await TemporaryFolder.with { folder in
            let plugin = folder.file("Plugins/hello")
            try FileManager.default.createDirectory(atPath: plugin, withIntermediateDirectories: true)
            try folder.write("", to: "kit.py")
            try folder.write(
                "manifest: 1\nid: hello\nversion: 1.0.0\nexec: [python3, main.py]\n", to: "Plugins/hello/plugin.yaml")
            try FileManager.default.createSymbolicLink(
                atPath: plugin + "/kit.py", withDestinationPath: "../../kit.py")
            for path in ["Plugins", "Plugins/hello", "Plugins/hello/plugin.yaml", "kit.py"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: folder.file(path))
            }
            let text = """
                version: 1
                plugins: {instances: [{name: hi, plugin: hello, sandbox: \(sandbox)}]}
                """
            try folder.write(text + "\n", to: "gateway.yaml")
            let result = GatewayConfiguration.load(path: folder.file("gateway.yaml"), environment: [:])
            #expect(result.configuration != nil)
            #expect(result.report.problems.map(\.code) == (sandbox == "strict" ? [.linkLeadsOut] : []))
            #expect(result.report.problems.allSatisfy { $0.severity == .warning })
            #expect(result.report.problems.allSatisfy { $0.message.hasPrefix("'kit.py' is a link to") })
        }
    }
}
