import CastwayTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(3))) struct IdentityCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeConfiguration()
    }

    /// A gateway that has run for a moment.
    private func makeState() async throws {
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        process.terminate()
        #expect(await process.result().status == 0)
    }

    @Test(arguments: [
        ["identity", "show"], ["identity", "export-root"], ["state", "check"], ["state", "backup", "copy.db"],
        ["config", "print", "gateway.yaml"], ["check", "gateway.yaml"], ["doctor", "--timeout", "100ms"],
        ["plugin", "list"], ["reload"],
    ])
    func readingMakesNothing(arguments: [String]) async throws {
        let before = try FileManager.default.subpathsOfDirectory(atPath: self.folder.path)
        let result = try await CastwayProcess(arguments, folder: self.folder.path).result()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: self.folder.path) == before)
        guard ["identity", "state"].contains(arguments[0]) else { return }
        #expect(result.status == 73)
        #expect(
            result.errors
                == "castway: state database state/castway.db: there is none yet; the first 'castway run' makes it\n")
    }

    /// From another folder it is the same gateway, and the same state.
    @Test func theFolderOfTheCommandDoesNotMatter() async throws {
        try await self.makeState()
        let here = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        let other = try TemporaryFolder()
        let there = try await CastwayProcess.run(
            "identity", "show", "--config", self.folder.file("gateway.yaml"), folder: other.path)
        #expect(there.status == 0)
        #expect(there.output == here.output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
    }

    /// The service may have been told of another folder than the command was.
    @Test func theStateOfTheGatewayThatRunsIsShown() async throws {
        let process = try CastwayProcess(
            ["run"], environment: ["CASTWAY_STATE_DIR": self.folder.file("elsewhere")], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        let shown = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        #expect(shown.status == 0)
        #expect(shown.errors.contains("(process \(process.id), "))
        #expect(shown.errors.contains("/elsewhere\n"))
        let doctor = try await CastwayProcess.run("doctor", "--timeout", "100ms", folder: self.folder.path)
        #expect(doctor.output.contains("/elsewhere: writable"))
        process.terminate()
        #expect(await process.result().status == 0)
        #expect(access(self.folder.file("state"), F_OK) != 0)
    }

    @Test func identitiesAreMadeOnceAndStay() async throws {
        try await self.makeState()
        let first = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        #expect(first.status == 0)
        #expect(first.output.contains("hall\n  shown as     Great hall\n  uuid         "))
        #expect(first.output.contains("kitchen\n"))
        let written = try self.folder.read("gateway.yaml").replacing("name: kitchen", with: "name: attic")
        try self.folder.write(written, to: "gateway.yaml")
        let another = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        #expect(another.output.contains("attic\n  shown as     attic\n  not made yet; the next start"))
        try self.folder.writeConfiguration()
        try await self.makeState()
        let second = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        #expect(second.output == first.output)
    }

    @Test func theRootIsExported() async throws {
        try await self.makeState()
        let printed = try await CastwayProcess.run("identity", "export-root", folder: self.folder.path)
        #expect(printed.status == 0)
        #expect(printed.output.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        let written = try await CastwayProcess.run(
            "identity", "export-root", "--output", "root.pem", folder: self.folder.path)
        #expect(written.status == 0)
        #expect(written.output == "")
        #expect(written.errors.contains("--cast-developer-certificate-path=root.pem"))
        #expect(try self.folder.read("root.pem") == printed.output)
        let refused = try await CastwayProcess.run(
            "identity", "export-root", "--output", "nowhere/root.pem", folder: self.folder.path)
        #expect(refused.status == 74)
        #expect(refused.errorLines.count == 1)
    }

    @Test(arguments: [["run"]])
    func aStateDirectoryThatCannotBeIs73(arguments: [String]) async throws {
        try self.folder.write("", to: "occupied")
        let process = try CastwayProcess(
            arguments, environment: ["CASTWAY_STATE_DIR": "occupied"], folder: self.folder.path)
        let result = await process.result()
        #expect(result.status == 73)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("castway: state directory occupied"))
    }
}
