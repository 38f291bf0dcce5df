import CastwayTestSupport
import Foundation
import GatewayFixtures
import Testing

/// The real program: how commands find the gateways that run, and what keeps gateways apart.
@Suite(.timeLimit(.minutes(3))) struct RunningGatewayTests {
    let folder: TemporaryFolder
    let other: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
        self.other = try TemporaryFolder()
        try self.folder.writeConfiguration()
    }

    private var registry: [String: String] { ["CASTWAY_RUN_DIRECTORY": self.folder.file("run")] }

    private func withGateway(
        in folder: TemporaryFolder? = nil, _ body: (CastwayProcess) async throws -> Void
    ) async throws {
        let process = try CastwayProcess(
            ["run"], environment: self.registry, folder: (folder ?? self.folder).path)
        let summary = await process.wait(for: "castway-root.pem\n")
        #expect(summary.contains("Castway runs"))
        try await body(process)
        process.terminate()
        #expect(await process.result().status == 0)
    }

    private func run(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(arguments, environment: self.registry, folder: self.other.path).result()
    }

    @Test func fromAnotherFolderTheOnlyOneIsFound() async throws {
        try await self.withGateway { process in
            let reload = try await self.run("reload")
            #expect(reload.status == 0)
            #expect(reload.output == "reloaded, nothing has changed\n")
            let file = self.folder.file("gateway.yaml")
            #expect(reload.errors == "castway: asks gateway 'Castway' (process \(process.id), \(file))\n")
            #expect(try await self.run("plugin", "list").status == 0)
            #expect(try await self.run("reload", "--config", file).status == 0)
            // A file of another gateway is not this one's.
            try self.other.writeConfiguration()
            let wrong = try await self.run("reload")
            #expect(wrong.status == 69)
            #expect(
                wrong.errors.contains("; what runs: --config \(file) for gateway 'Castway' (process \(process.id), "))
        }
        try FileManager.default.removeItem(atPath: self.other.file("gateway.yaml"))
        let none = try await self.run("reload")
        #expect(none.status == 69)
        #expect(none.errors.contains("there is no gateway.yaml in this folder") && none.errors.contains("--admin"))
    }

    @Test func ofSeveralOneHasToBeNamed() async throws {
        let second = try TemporaryFolder(withStateOf: "hall", "kitchen")
        try second.writeConfiguration()
        try await self.withGateway { first in
            try await self.withGateway(in: second) { last in
                let reload = try await self.run("reload")
                #expect(reload.status == 64)
                for text in ["process \(first.id)", "process \(last.id)", second.file("gateway.yaml")] {
                    #expect(reload.errors.contains(text), "\(text)")
                }
                #expect(try await self.run("reload", "--config", second.file("gateway.yaml")).status == 0)
            }
        }
    }

    @Test func doctorKnowsThePortsOfTheGateway() async throws {
        let port = try FreePort.next()
        try self.folder.writeConfiguration(port: port)
        try await self.withGateway { process in
            let doctor = try await self.run(
                "doctor", "--timeout", "100ms", "--config", self.folder.file("gateway.yaml"))
            #expect(doctor.output.contains("by gateway 'Castway' (process \(process.id), "), "\(doctor.output)")
        }
    }

    /// Two state directories, one admin socket: the second gateway has said nothing and touched nothing when it ends.
    @Test func aSecondGatewayAtTheSocketDoesNotBegin() async throws {
        let text = try self.folder.read("gateway.yaml")
        let socket = self.folder.file("a.sock")
        try self.folder.write(text + "admin: {listen: \"unix:\(socket)\"}\n", to: "gateway.yaml")
        try await self.withGateway { _ in
            let second = try await CastwayProcess(
                ["run"], environment: ["CASTWAY_STATE_DIR": "second"], folder: self.folder.path
            ).result()
            #expect(second.status == 98)
            #expect(second.output.isEmpty)
            #expect(second.errorLines.last == "castway: another gateway answers at the admin socket \(socket)")
            #expect(!second.errors.contains("Listening"))
            #expect(!FileManager.default.fileExists(atPath: self.folder.file("second")))
        }
    }

    /// Without an admin listener the lock keeps them apart.
    @Test func aSecondGatewayInTheStateDirectoryDoesNotBegin() async throws {
        try self.folder.writeConfiguration(adding: "admin: {listen: off}")
        try await self.withGateway { process in
            let second = try await CastwayProcess.run("run", folder: self.folder.path)
            #expect(second.status == 73)
            #expect(second.output.isEmpty)
            #expect(
                second.errorLines.last
                    == "castway: state directory state: is used by a gateway that runs (process \(process.id))")
            let reload = try await self.run("reload", "--config", self.folder.file("gateway.yaml"))
            #expect(reload.status == 69)
            #expect(reload.errors.contains("kill -HUP \(process.id)"))
        }
    }

    /// A port that is taken is found out after the first log lines, and before anything is announced.
    @Test func aTakenAdminPortEndsItBeforeAnythingListens() async throws {
        let port = try FreePort.next()
        try self.folder.writeConfiguration(adding: "admin: {listen: \"127.0.0.1:\(port)\"}")
        try await self.withGateway { _ in
            let second = try await CastwayProcess(
                ["run"], environment: ["CASTWAY_STATE_DIR": "second"], folder: self.folder.path
            ).result()
            #expect(second.status == 98)
            #expect(second.output.isEmpty)
            #expect(second.errorLines.last?.contains("127.0.0.1:\(port)") == true)
            #expect(!second.errors.contains("virtual_device"))
        }
    }
}
