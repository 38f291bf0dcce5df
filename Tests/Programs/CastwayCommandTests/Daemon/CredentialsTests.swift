import CastwayTestSupport
import Foundation
import Testing

/// The real program as the shipped unit runs it: as a user who owns nothing, with secrets that the service manager hands over.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled("needs to be root, with setpriv, and a program that every user can run") {
        await UnprivilegedUser.isPossible()
    })
struct CredentialsTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeConfiguration(
            adding: "launch: {credentials: {default: {credentials_file: \"${CREDENTIALS_DIRECTORY}/castway_launch\"}}}")
        // What LoadCredential= leaves: files of the user's, or open to all in a folder that is the user's alone.
        let credentials = self.folder.file("credentials")
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
        try self.folder.write("{\"token\": \"hunter2\"}", to: "credentials/castway_launch")
        #expect(chown(self.folder.path, UnprivilegedUser.id, UnprivilegedUser.id) == 0)
        #expect(chown(credentials, UnprivilegedUser.id, UnprivilegedUser.id) == 0 && chmod(credentials, 0o500) == 0)
    }

    private func process(_ arguments: String..., credentials: String? = "credentials") throws -> CastwayProcess {
        let environment = credentials.map { ["CREDENTIALS_DIRECTORY": self.folder.file($0)] } ?? [:]
        return try CastwayProcess(
            arguments, environment: environment, folder: self.folder.path, through: UnprivilegedUser.program)
    }

    @Test(arguments: [0o444, 0o440, 0o400] as [mode_t]) func whatIsHandedOverIsRead(mode: mode_t) async throws {
        let file = self.folder.file("credentials/castway_launch")
        #expect(chown(file, UnprivilegedUser.id, UnprivilegedUser.id) == 0 && chmod(file, mode) == 0)
        let gateway = try self.process("run")
        #expect(await gateway.wait(for: "castway-root.pem\n").contains("Castway runs"))
        let reload = try await self.process("reload").result()
        #expect(reload.status == 0)
        #expect(reload.output == "reloaded, nothing has changed\n")
        gateway.terminate()
        #expect(await gateway.result().status == 0)
        var info = stat()
        #expect(stat(self.folder.file("state/castway.db"), &info) == 0 && info.st_uid == UnprivilegedUser.id)
        // The superuser looks after it, and takes nothing from its user.
        let check = try await CastwayProcess.run("state", "reset", folder: self.folder.path, credentials: self.folder)
        #expect(check.status == 0)
        #expect(stat(self.folder.file("state/castway.lock"), &info) == 0 && info.st_uid == UnprivilegedUser.id)
    }

    @Test func whatCannotBeReadSaysWhatToDo() async throws {
        let file = self.folder.file("credentials/castway_launch")
        #expect(chown(file, 0, 0) == 0 && chmod(file, 0o600) == 0)
        let refused = try await self.process("run").result()
        #expect(refused.status == 1)
        #expect(refused.errors.contains("Permission denied"))
        #expect(refused.errors.contains("LoadCredential=NAME:FILE"))
        #expect(chmod(file, 0o644) == 0 && chmod(self.folder.file("credentials"), 0o755) == 0)
        let open = try await self.process("check").result()
        #expect(open.status == 1)
        #expect(open.output.contains("CW1042") && open.output.contains("LoadCredential="))
        let unset = try await self.process("check", credentials: nil).result()
        #expect(unset.status == 1)
        #expect(unset.output.contains("'CREDENTIALS_DIRECTORY' is not set"))
        #expect(!(refused.errors + open.output + unset.output).contains("hunter2"))
    }
}

extension CastwayProcess {
    fileprivate static func run(
        _ arguments: String..., folder: String, credentials: TemporaryFolder
    ) async throws -> Result {
        try await CastwayProcess(
            arguments, environment: ["CREDENTIALS_DIRECTORY": credentials.file("credentials")], folder: folder
        ).result()
    }
}
