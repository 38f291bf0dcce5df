import CastwayTestSupport
import Foundation
import GatewayFixtures
import Testing

/// The real program: what is left of the state when it ends, and what it does with what is left.
@Suite(.timeLimit(.minutes(3))) struct StateCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
        try self.folder.writeConfiguration()
    }

    private func run(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(arguments, folder: self.folder.path).result()
    }

    private func withGateway(_ body: () async throws -> Void = {}) async throws {
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        try await body()
        process.terminate()
        #expect(await process.result().status == 0)
    }

    private func entries(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.folder.file(name)).sorted()
    }

    @Test func afterSigtermTheDatabaseIsOneWholeFile() async throws {
        try await self.withGateway {
            let (listed, state) = (try self.entries("run"), try self.entries("state"))
            #expect(listed.count == 1)
            #expect(state.contains("admin.sock.run"))
        }
        #expect(try self.entries("state") == ["castway.db", "castway.lock", "castway.state"])
        #expect(try self.entries("run").isEmpty)
        let identities = try await self.run("identity", "show").output
        try FileManager.default.createDirectory(atPath: self.folder.file("copy"), withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: self.folder.file("state/castway.db"), toPath: self.folder.file("copy/castway.db"))
        let copy = try await CastwayProcess(
            ["identity", "show"], environment: ["CASTWAY_STATE_DIR": "copy"], folder: self.folder.path
        ).result()
        #expect(copy.output == identities)
        #expect(copy.output.contains("hall\n"))
    }

    @Test(arguments: [
        ("garbage", "is damaged: file is not a database"), ("empty", "is missing or empty, though one was made here"),
        ("short", "is damaged"), ("gone", "is missing or empty, though one was made here"),
    ])
    func whatIsLostIsNotMadeAnew(how: String, words: String) async throws {
        try await self.withGateway()
        let path = self.folder.file("state/castway.db")
        let whole = try Data(contentsOf: URL(filePath: path))
        switch how {
        case "garbage": try Data(repeating: 0x55, count: whole.count).write(to: URL(filePath: path))
        case "empty": try Data().write(to: URL(filePath: path))
        case "short": try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        default: try FileManager.default.removeItem(atPath: path)
        }
        for command in [["run"], ["identity", "show"], ["state", "check"], ["state", "backup", "b.db"]] {
            let result = try await CastwayProcess(command, folder: self.folder.path).result()
            #expect(result.status == 73, "\(command)")
            #expect(result.errors.contains("state database state/castway.db: \(words)"), "\(command): \(result.errors)")
            #expect(result.errors.contains("castway state restore FILE"))
            #expect(result.errors.contains("castway state reset"))
        }
        // On purpose it goes on.
        let reset = try await self.run("state", "reset")
        #expect(reset.status == 0)
        try await self.withGateway()
        #expect(try await self.run("identity", "show").status == 0)
    }

    @Test func aBackupOfARunningGatewayComesBack() async throws {
        var identities = ""
        try await self.withGateway {
            identities = try await self.run("identity", "show").output
            let backup = try await self.run("state", "backup", "backup.db")
            #expect(backup.status == 0)
            #expect(backup.errors.contains("the state of gateway 'Castway' (process "))
            #expect(backup.output.contains("2 identities"))
            #expect(try await self.run("state", "backup", "backup.db").status == 74)
            #expect(try await self.run("state", "check").status == 0)
            let refused = try await self.run("state", "restore", "backup.db")
            #expect(refused.status == 76)
            #expect(refused.errors.contains("is used by a gateway that runs (process "))
            #expect(try await self.run("state", "reset").status == 76)
        }
        #expect(try await self.run("state", "reset").status == 0)
        try await self.withGateway()
        #expect(try await self.run("identity", "show").output != identities)
        let restored = try await self.run("state", "restore", "backup.db")
        #expect(restored.status == 0)
        #expect(restored.output.contains("what was there: "))
        #expect(try await self.run("identity", "show").output == identities)
        try await self.withGateway()
        #expect(try await self.run("identity", "show").output == identities)
    }

    /// A gateway that is killed leaves a file that says that it runs.
    @Test func aKilledGatewayIsNotTakenForOneThatRuns() async throws {
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        process.kill()
        _ = await process.result()
        #expect(try self.entries("run").count == 1)
        let reload = try await self.run("reload")
        #expect(reload.status == 69)
        #expect(reload.errors.hasPrefix("castway: no gateway answers at state/admin.sock: "))
        #expect(!reload.errors.contains("what runs"))
        #expect(try await self.run("state", "backup", "backup.db").status == 0)
        try await self.withGateway {
            let listed = try self.entries("run")
            #expect(listed.count == 1)
            let reload = try await self.run("reload")
            #expect(reload.status == 0)
        }
    }
}
