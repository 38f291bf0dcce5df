import CastClient
import CastwayTestSupport
import Foundation
import Glibc
import Testing

/// The program with a state directory that takes no writing.
///
/// It runs in a mount namespace of its own, where the directory is mounted read-only or is a tiny disk that is full.
@Suite(.timeLimit(.minutes(3)), .enabled(if: MountNamespace.isPermitted, "mount namespaces are not permitted here"))
struct StateDirectoryTests {
    private static let readOnly = "mount --bind state state && mount -o remount,bind,ro state state"
    /// What was in the directory is there, and not a byte is left.
    private static let full =
        "cp -a state copy && mount -t tmpfs -o size=512k none state && cp -a copy/. state/ && "
        + "{ dd if=/dev/zero of=state/filler bs=4k 2>/dev/null || true; }"

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeConfiguration()
        try FileManager.default.createDirectory(
            atPath: self.folder.file("state"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    private func process(_ arguments: [String] = ["run"], after setUp: String) throws -> CastwayProcess {
        try CastwayProcess(
            arguments, folder: self.folder.path,
            through: ["/usr/bin/unshare", "-rm", "/bin/sh", "-c", "\(setUp) && exec \"$0\" \"$@\""])
    }

    private func makeIdentities() async throws -> String {
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        process.terminate()
        #expect(await process.result().status == 0)
        return try await CastwayProcess.run("identity", "show", folder: self.folder.path).output
    }

    @Test(arguments: [Self.readOnly, Self.full]) func withIdentitiesItRunsAndWarns(setUp: String) async throws {
        let identities = try await self.makeIdentities()
        let process = try self.process(after: setUp)
        let summary = await process.wait(for: "castway-root.pem\n")
        let port = try #require(summary.firstMatch(of: #/castway cast 127\.0\.0\.1:(\d+) status/#)?.1)
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: try #require(Int(port)))
        try await sender.status()
        await sender.close()
        process.terminate()
        let result = await process.result()
        #expect(result.status == 0)
        #expect(result.errorLines.count { $0.contains("The state cannot be written") } == 1)
        let shown = try await self.process(["identity", "show"], after: setUp).result()
        #expect(shown.status == 0)
        #expect(shown.output == identities)
    }

    @Test(arguments: [
        (Self.readOnly, "must be writable"),
        (
            "mount -t tmpfs -o size=16k none state && { dd if=/dev/zero of=state/filler bs=4k 2>/dev/null || true; }",
            "disk"
        ),
    ])
    func withoutIdentitiesItSaysWhyNotAndEnds(setUp: String, reason: String) async throws {
        let result = try await self.process(after: setUp).result()
        #expect(result.status == 73)
        let message = try #require(result.errorLines.last)
        #expect(message.hasPrefix("castway: state d"))
        #expect(message.contains(reason))
    }

    /// A device that is new would be another one after every start.
    @Test func aNewDeviceIsRefusedWhereNothingIsKept() async throws {
        _ = try await self.makeIdentities()
        let file = try self.folder.read("gateway.yaml").replacing("name: kitchen", with: "name: attic")
        try self.folder.write(file, to: "gateway.yaml")
        let result = try await self.process(after: Self.readOnly).result()
        #expect(result.status == 73)
        #expect(result.errorLines.last?.contains("the identity of virtual device 'attic' can not be made") == true)
    }
}
