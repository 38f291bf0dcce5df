import CastwayTestSupport
import Testing

/// A chroot or a container may be without /proc, from which Swift reads the arguments of a program.
@Suite(.timeLimit(.minutes(1)), .enabled(if: MountNamespace.isPermitted)) struct ArgumentsWithoutProcTests {
    private static let hidden = [
        "/usr/bin/unshare", "-rm", "/bin/sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\"",
    ]

    @Test func argumentsAreSeenWithoutProc() async throws {
        let folder = try TemporaryFolder()
        try folder.write("version: 1\nnonsense: true\n", to: "wrong.yaml")
        let checked = try await CastwayProcess(["check", folder.file("wrong.yaml")], through: Self.hidden).result()
        #expect(checked.status == 1 && checked.output.contains("nonsense"), "\(checked)")
        let explained = try await CastwayProcess(["config", "explain", "CW1001"], through: Self.hidden).result()
        #expect(explained.status == 0 && explained.output.contains("CW1001"), "\(explained)")
        withExtendedLifetime(folder) {}
    }
}
