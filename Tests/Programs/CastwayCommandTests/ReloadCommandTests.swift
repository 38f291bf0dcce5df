import CastwayTestSupport
import GatewayFixtures
import Glibc
import Testing

/// The real program: `castway reload`, and SIGHUP.
@Suite(.timeLimit(.minutes(3))) struct ReloadCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
    }

    private func withGateway(_ body: (CastwayProcess, _ address: String) async throws -> Void) async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        let summary = await process.wait(for: "castway-root.pem\n")
        let address = try #require(summary.firstMatch(of: #/castway cast (127\.0\.0\.1:\d+) status/#)).1
        try await body(process, String(address))
        process.terminate()
        #expect(await process.result().status == 0)
    }

    private func reload(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(["reload"] + arguments, folder: self.folder.path).result()
    }

    @Test func aChangedFileIsPutInForce() async throws {
        try await self.withGateway { _, address in
            let loaded = try await CastwayProcess.run("cast", address, "load", "http://192.0.2.1/film.mp4")
            #expect(loaded.status == 0)
            let nothing = try await self.reload()
            #expect(nothing.status == 0)
            #expect(nothing.output == "reloaded, nothing has changed\n")
            try self.folder.writeConfiguration(adding: "log: {level: debug}")
            let dryRun = try await self.reload("--dry-run")
            #expect(dryRun.output == "would change: log.level (hot)\n")
            let done = try await self.reload()
            #expect(done.status == 0)
            #expect(done.output == "changed: log.level (hot)\nreloaded\n")
            #expect(
                done.errors.wholeMatch(of: #/castway: asks gateway 'Castway' \(process \d+, \/.*gateway.yaml\)\n/#)
                    != nil)
            let json = try await self.reload("--format", "json")
            #expect(json.output == #"{"dry_run":false,"changes":[]}"# + "\n")
            let status = try await CastwayProcess.run("cast", address, "status")
            #expect(status.output.contains("http://192.0.2.1/film.mp4"))
        }
    }

    @Test func aBadFileIsExplainedAndChangesNothing() async throws {
        try await self.withGateway { process, address in
            try self.folder.write(
                """
                version: 1
                gateway: {state_directory: state}
                virtual_devices:
                  - {name: hall, listn: "127.0.0.1:0", target: {device: nobody}}
                log: {level: loud}

                """, to: "gateway.yaml")
            let result = try await self.reload()
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            for place in ["gateway.yaml:4:18: error[CW1001]", "gateway.yaml:4:", "gateway.yaml:5:14: error[CW1053]"] {
                #expect(result.errors.contains(place), "\(place)")
            }
            #expect(
                result.errorLines.last
                    == "castway: not reloaded, the old configuration stays: the configuration has 2 errors")
            let log = await process.waitForErrors("gateway.yaml:5:14")
            #expect(log.contains("Reload failed, the old configuration stays"))
            #expect(log.contains("gateway.yaml:4:18"))
            #expect(try await CastwayProcess.run("cast", address, "status").status == 0)
            try self.folder.writeConfiguration(adding: "gateway: {id: other}")
            let twice = try await self.reload()
            #expect(twice.status == 1)
        }
    }

    @Test func whatTakesARestartIsRefused() async throws {
        try await self.withGateway { _, _ in
            let text = try self.folder.read("gateway.yaml")
            try self.folder.write(
                text.replacing("gateway: {", with: "gateway: {id: other, "), to: "gateway.yaml")
            let result = try await self.reload()
            #expect(result.status == 76)
            #expect(
                result.errorLines.last
                    == "castway: not reloaded, the old configuration stays: these keys take a restart: gateway.id")
        }
    }

    @Test func sighupReloads() async throws {
        try await self.withGateway { process, address in
            try self.folder.writeConfiguration(adding: "routing: {default: reject}")
            process.hangUp()
            let log = await process.waitForErrors("routing.default (hot)")
            #expect(log.contains("Configuration reloaded"))
            #expect(try await CastwayProcess.run("cast", address, "status").status == 0)
            try self.folder.write("version: [", to: "gateway.yaml")
            process.hangUp()
            let failure = await process.waitForErrors("CW1005")
            #expect(failure.contains("Reload failed, the old configuration stays"))
            #expect(try await CastwayProcess.run("cast", address, "status").status == 0)
        }
    }

    @Test func withoutAGatewayItIs69() async throws {
        try self.folder.writeConfiguration()
        let result = try await self.reload()
        #expect(result.status == 69)
        #expect(
            result.errors
                == "castway: no gateway answers at state/admin.sock: No such file or directory; 'castway run' starts one\n"
        )
        try self.folder.writeConfiguration(adding: "admin: {listen: off}")
        #expect(try await self.reload().status == 69)
    }

    @Test func aSecondGatewayLeavesTheFirstItsSocket() async throws {
        try await self.withGateway { _, _ in
            let second = try await CastwayProcess.run("run", folder: self.folder.path)
            #expect(second.status == 98)
            #expect(second.errorLines.last == "castway: another gateway answers at the admin socket state/admin.sock")
            #expect(try await self.reload().status == 0)
        }
        // A killed gateway leaves its socket behind; the next one replaces it.
        let killed = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await killed.wait(for: "castway-root.pem\n")
        killed.kill()
        _ = await killed.result()
        try await self.withGateway { _, _ in
            let again = try await self.reload()
            #expect(again.status == 0)
            var info = stat()
            #expect(lstat(self.folder.file("state/admin.sock"), &info) == 0)
            #expect(info.st_mode & 0o777 == 0o600)
        }
    }
}
