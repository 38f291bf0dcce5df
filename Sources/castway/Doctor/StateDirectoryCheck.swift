import Glibc

/// Whether the state directory can be written to and has room.
struct StateDirectoryCheck: DoctorCheck {
    /// Below this SQLite and the log of changes may run out of room while they work.
    static let minimumSpace: UInt64 = 16 << 20
    /// Below this somebody should look why.
    static let comfortableSpace: UInt64 = 256 << 20

    let path: String
    /// Bytes that are free in the file system of a folder; nil when that cannot be found out.
    var freeSpace: @Sendable (String) -> UInt64? = Self.freeSpace(at:)

    let name = "state directory"

    func findings() async -> [DoctorFinding] {
        var status = stat()
        guard stat(self.path, &status) == 0 else {
            let code = errno
            guard code == ENOENT, let parent = self.existingParent, access(parent, W_OK | X_OK) == 0 else {
                return [
                    .fail(
                        self.path, SystemError.text(code),
                        advice: "make it, for the user that runs castway: install -d -m 700 \(self.path)")
                ]
            }
            return [.ok(self.path, "not there yet; the first run makes it")] + self.space(in: parent)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return [.fail(self.path, "it is not a folder", advice: "name a folder in gateway.state_directory")]
        }
        guard access(self.path, R_OK | W_OK | X_OK) == 0 else {
            return [
                .fail(
                    self.path, "cannot be written: \(SystemError.text(errno))",
                    advice: "give it to the user that runs castway; without it no new identity can be kept")
            ]
        }
        var findings: [DoctorFinding] = []
        if status.st_mode & 0o007 != 0 {
            findings.append(
                .warn(
                    self.path, "other users can look into it", advice: "chmod o-rwx \(self.path): it holds private keys"
                ))
        } else {
            findings.append(.ok(self.path, "writable"))
        }
        return findings + self.space(in: self.path)
    }

    private var existingParent: String? {
        var path = self.path[...]
        while let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            let parent = path.isEmpty ? "/" : String(path)
            if access(parent, F_OK) == 0 { return parent }
        }
        return "."
    }

    private func space(in folder: String) -> [DoctorFinding] {
        guard let free = self.freeSpace(folder) else { return [] }
        let text = "\(free >> 20) MiB free"
        if free < Self.minimumSpace {
            return [.fail("disk space", text, advice: "free some: the state can no longer be written safely")]
        }
        if free < Self.comfortableSpace { return [.warn("disk space", text, advice: "free some before it runs out")] }
        return [.ok("disk space", text)]
    }

    static func freeSpace(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
    }
}
