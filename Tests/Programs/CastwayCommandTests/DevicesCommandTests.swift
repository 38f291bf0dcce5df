import CastwayTestSupport
import Testing

/// `castway devices` where there is no daemon; with daemons the lab's scenarios use it.
@Suite(.timeLimit(.minutes(2))) struct DevicesCommandTests {
    private static let noBus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"]

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> CastwayProcess.Result {
        let process = try CastwayProcess(
            ["devices"] + arguments, environment: Self.noBus, folder: self.folder.path)
        return await process.result()
    }

    @Test func withoutADaemonItListsWhatIsWrittenDownAndSaysWhy() async throws {
        try self.folder.writeConfiguration()
        let result = try await self.run()
        #expect(result.status == 69)
        #expect(result.output.contains("projector  127.0.0.1:1"))
        #expect(result.output.contains("not heard"))
        #expect(
            result.errors.hasPrefix(
                "castway: devices cannot be searched for: D-Bus or the Avahi daemon does not answer"))
        let json = try await self.run("--json")
        #expect(json.output.contains(#""staticName":"projector""#))
        #expect(json.output.contains(#""networkAddress":"127.0.0.1""#))
    }

    @Test func withoutADaemonThereIsNothingToWatch() async throws {
        let result = try await self.run("--watch")
        #expect(result.status == 69)
        #expect(result.output.isEmpty)
    }

    @Test func withoutAConfigurationThereAreNoDevices() async throws {
        let result = try await self.run()
        #expect(result.output.hasPrefix("No devices.\n"))
        #expect(try await self.run("--config", "missing.yaml").status == 1)
        #expect(try await self.run("--timeout", "0").status == 64)
    }
}
