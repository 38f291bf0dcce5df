import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayFixtures
import GatewayOperations
import Testing

/// `castway status`, `castway senders` and `castway sessions` at the real program: with a device that is off, a plugin that
/// crashes, a sender, and an app that runs.
@Suite(.timeLimit(.minutes(3))) struct GatewayStatusCommandTests {
    private let folder: TemporaryFolder
    private let port: Int

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "loft")
        self.port = try FreePort.next()
        try self.folder.write(
            """
            version: 1
            gateway: {name: Lobby, state_directory: state}
            discovery:
              mdns: {enabled: false}
              static: [{name: attic, address: "127.0.0.1:9"}]
            virtual_devices:
              - {name: hall, friendly_name: Hall, listen: "127.0.0.1:\(self.port)", target: local}
              - {name: loft, listen: "127.0.0.1:0", target: {device: attic}}
            plugins:
              directory: plugins
              instances: [{name: crasher, plugin: crasher}]

            """, to: "gateway.yaml")
    }

    private func castway(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(
            arguments, environment: ["COLUMNS": "80", "TZ": "UTC"], folder: self.folder.path
        ).result()
    }

    private func json(_ command: String) async throws -> JSONObject {
        try #require(try JSONReader.read(try await self.castway(command, "--json").output).objectValue)
    }

    @Test func whatRunsIsSeen() async throws {
        let made = try await self.castway("plugin", "new", "--lang", "sh", "--directory", "plugins", "crasher")
        #expect(made.status == 0, "\(made)")
        try self.folder.write("#!/bin/sh\nexit 3\n", to: "plugins/crasher/plugin.sh")
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        #expect(try await self.castway("senders").output == "No sender is connected.\n")
        #expect(try await self.castway("sessions").output == "Nothing runs.\n")
        _ = try await self.castway("call", "virtual_device.launch", "device=hall", "app=CC1AD845")
        let watch = try CastwayProcess(
            ["cast", "127.0.0.1:\(self.port)", "watch"], folder: self.folder.path)
        _ = await watch.wait(for: "volume")

        let status = try #require(BuiltInOperations.all.first { $0.name == "gateway.status" })
        let answer = try await self.json("status")
        #expect(status.result.faults(of: answer) == [])
        #expect(answer.array("senders")?.count == 1)
        let warnings = (answer.array("warnings") ?? []).compactMap { $0.objectValue?.string("code") }
        #expect(warnings.contains("device_offline"))
        #expect(warnings.contains { $0.hasPrefix("plugin_") })

        let text = try await self.castway("status").output
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
        for word in [
            "Lobby (Castway ", " is ready, runs since ", "VIRTUAL DEVICES", "hall", "Default Media", "target offline",
            "DEVICES", "attic", "offline", "SENDERS", "127.0.0.1", "PLUGINS", "crasher", "WARNINGS",
        ] {
            #expect(text.contains(word), "\(word) in\n\(text)")
        }
        let senders = try await self.castway("senders").output
        #expect(senders.contains("DEVICE  SENDER") && senders.contains("hall"))
        let declared = try #require(BuiltInOperations.all.first { $0.name == "senders.list" })
        #expect(declared.result.faults(of: try await self.json("senders")) == [])
        #expect(try await self.castway("sessions").output.contains("APPS ON VIRTUAL DEVICES\n  ON    APP"))
        #expect(try await self.json("sessions").array("apps")?.first?.objectValue?.string("device") == "hall")

        watch.terminate()
        _ = await watch.result()
        process.terminate()
        #expect(await process.result().status == 0)
        withExtendedLifetime(self.folder) {}
    }
}
