import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayFixtures
import Glibc
import Testing

/// The real program: a file of the log that rotates, and the log as events.
@Suite(.timeLimit(.minutes(3))) struct LogFileCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
    }

    private func path(_ name: String) -> String { "\(self.folder.path)/\(name)" }

    /// The messages of a file, each line of which has to be whole.
    private func messages(_ name: String) throws -> [String] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: self.path(name)))
        #expect(bytes.count <= 32 << 10, "\(name)")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.isEmpty || text.hasSuffix("\n"), "\(name)")
        return try text.split(separator: "\n").map { line in
            let json = try JSONReader.read(String(line))
            return try #require(json.objectValue?.string("msg"), "\(line)")
        }
    }

    private func withGateway(_ log: String, _ body: (CastwayProcess) async throws -> Void) async throws -> String {
        try self.folder.writeConfiguration(adding: log)
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        try await body(process)
        process.terminate()
        let result = await process.result()
        #expect(result.status == 0)
        return result.errors
    }

    private func castway(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(arguments, folder: self.folder.path).result()
    }

    @Test func theFileRotatesAndKeepsItsCount() async throws {
        let errors = try await self.withGateway(
            """
            log:
              level: trace
              origin: trailing
              sinks: [{console: false}, {file: {path: gw.log, max_size: 32KiB, max_count: 3}}]
            """
        ) { _ in
            // Each reload has some lines; the fourth file would be full after a while.
            for round in 0..<400 where access(self.path("gw.log.2"), F_OK) != 0 || round < 2 {
                let result = try await self.castway("reload")
                #expect(result.status == 0)
            }
        }
        #expect(errors.isEmpty, "\(errors)")
        var all: [String] = []
        for name in ["gw.log.2", "gw.log.1", "gw.log"] { all += try self.messages(name) }
        #expect(all.count > 100)
        #expect(access(self.path("gw.log.3"), F_OK) != 0)
        #expect(ConfigFileSystem.disk.permissions(self.path("gw.log")) == 0o640)
    }

    @Test func aHangUpGoesOnInANewFile() async throws {
        _ = try await self.withGateway("log: {sinks: [{file: {path: gw.log}}]}") { process in
            #expect(rename(self.path("gw.log"), self.path("old.log")) == 0)
            process.hangUp()
            _ = await process.waitForErrors("nothing has changed")
            // The answer of a second reload is behind the lines of the first.
            let result = try await self.castway("reload")
            #expect(result.status == 0)
        }
        #expect(try self.messages("old.log").contains("Starting"))
        let after = try self.messages("gw.log")
        #expect(!after.contains("Starting"))
        #expect(after.contains("Configuration reloaded, nothing has changed"))
    }

    @Test func theLogCanBeFollowedAsEvents() async throws {
        _ = try await self.withGateway("log: {sinks: [{events: true, level: notice}]}") { process in
            let reader = try CastwayProcess(
                ["events", "--follow", "--json", "--type", "log.record"], folder: self.folder.path)
            _ = await reader.wait(for: #""frame":"synced""#)
            process.hangUp()
            let text = await reader.wait(for: "Configuration reloaded, nothing has changed")
            #expect(text.contains(#""type":"log.record""#) && text.contains(#""component":"Reload""#))
            #expect(!text.contains("SIGHUP: reloading"))
            reader.terminate()
            _ = await reader.result()
            // Nothing of it is kept, and a reader of everything does not get it.
            let all = try await self.castway("events", "--json")
            #expect(!all.output.contains("log.record"))
        }
    }

    @Test func aFolderThatIsNotThereIsFoundBeforeTheStart() async throws {
        try self.folder.writeConfiguration(adding: "log: {sinks: [{file: {path: nowhere/gw.log}}]}")
        let check = try await self.castway("check", "gateway.yaml")
        #expect(check.status == 1)
        #expect((check.output + check.errors).contains("error[CW1047]"))
    }
}
