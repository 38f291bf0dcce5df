import CastwayTestSupport
import Foundation
import Glibc
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// Whose word about gateways that run is taken.
struct RunFolderTests {
    private static func file(in folder: String, mode: mode_t = 0o600) throws -> String {
        let path = folder + "/1.run"
        try Data("{}".utf8).write(to: URL(filePath: path))
        #expect(chmod(path, mode) == 0)
        return path
    }

    private static func folder(in parent: String, mode: mode_t = 0o700) throws -> String {
        let path = parent + "/castway"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(chmod(path, mode) == 0)
        return path
    }

    @Test func whatOthersMayWriteIsNotTrusted() async throws {
        try await TemporaryFolder.with { parent in
            let path = try Self.folder(in: parent.path)
            let file = try Self.file(in: path)
            #expect(RunFolder(path: path).isTrusted)
            #expect(RunFolder(path: path).trusts(file))
            #expect(chmod(file, 0o620) == 0)
            #expect(!RunFolder(path: path).trusts(file))
            #expect(chmod(file, 0o600) == 0 && symlink(file, path + "/2.run") == 0)
            #expect(!RunFolder(path: path).trusts(path + "/2.run"))
            #expect(chmod(path, 0o770) == 0)
            #expect(!RunFolder(path: path).isTrusted)
            #expect(!RunFolder(path: path).trusts(file))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser gives files away"))
    func theSuperuserTrustsAServiceWhoseFolderOnlyItCouldMake() async throws {
        try await TemporaryFolder.with { parent in
            #expect(chmod(parent.path, 0o755) == 0)
            let path = try Self.folder(in: parent.path)
            let (own, others) = (try Self.file(in: path), path + "/3.run")
            try Data("{}".utf8).write(to: URL(filePath: others))
            #expect(chmod(others, 0o600) == 0)
            #expect(chown(path, 65533, 65533) == 0 && chown(own, 65533, 65533) == 0 && chown(others, 65532, 65532) == 0)
            #expect(RunFolder(path: path).trusts(own))
            #expect(!RunFolder(path: path).trusts(others))
            // As in /tmp, where every user may make such a folder.
            #expect(chmod(parent.path, 0o1777) == 0)
            #expect(!RunFolder(path: path).isTrusted)
            #expect(!RunFolder(path: path).trusts(own))
        }
    }
}
