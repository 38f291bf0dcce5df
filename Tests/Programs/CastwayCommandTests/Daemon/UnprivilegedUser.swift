import Glibc

/// A user who owns nothing, as whom the superuser can run programs.
enum UnprivilegedUser {
    static let id: UInt32 = 65_534
    /// Runs what follows as that user.
    static let program = [
        "/usr/bin/setpriv", "--reuid=\(Self.id)", "--regid=\(Self.id)", "--clear-groups", "--no-new-privs", "--",
    ]

    /// Whether this process may become that user, who can run `castway` then.
    static func isPossible() async -> Bool {
        guard geteuid() == 0, access(Self.program[0], X_OK) == 0 else { return false }
        guard let process = try? CastwayProcess(["--version"], through: Self.program) else { return false }
        return await process.result().status == 0
    }
}
