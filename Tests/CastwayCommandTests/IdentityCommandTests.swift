import CastwayTestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct IdentityCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeConfiguration()
    }

    @Test func identitiesAreMadeOnceAndStay() async throws {
        let first = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        #expect(first.status == 0)
        #expect(first.output.contains("hall\n  shown as     Great hall\n  uuid         "))
        #expect(first.output.contains("kitchen\n"))
        let second = try await CastwayProcess.run("identity", "show", folder: self.folder.path)
        #expect(second.output == first.output)
    }

    @Test func theRootIsExported() async throws {
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

    @Test(arguments: [["identity", "show"], ["run"]])
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
