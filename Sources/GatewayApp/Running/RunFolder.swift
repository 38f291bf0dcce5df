import Glibc

/// A folder in which gateways that run are written down, and whether what it says can be believed.
///
/// A command sends requests to the socket that a file there names, so another user must not have prepared it. The owner
/// decides: this user, the superuser, or for the superuser also a service's user, when only the superuser could have made
/// the folder, as systemd makes that of `RuntimeDirectory=` below `/run`.
struct RunFolder {
    let path: String

    /// Whose files count; empty when another user may have made the folder, or may write there.
    private var owners: Set<uid_t> {
        guard let folder = Self.closed(self.path) else { return [] }
        let own: Set<uid_t> = [0, geteuid()]
        if own.contains(folder.st_uid) { return own }
        let parent = String(self.path[..<(self.path.lastIndex(of: "/") ?? self.path.startIndex)])
        guard geteuid() == 0, let above = Self.closed(parent.isEmpty ? "/" : parent), above.st_uid == 0 else {
            return []
        }
        return own.union([folder.st_uid])
    }

    /// Whether files of its owner count.
    var isTrusted: Bool { !self.owners.isEmpty }

    /// Whether a file in it counts: it is no link, and no other user may have written it.
    func trusts(_ file: String) -> Bool {
        guard let status = Self.closed(file) else { return false }
        return status.st_mode & S_IFMT == S_IFREG && self.owners.contains(status.st_uid)
    }

    /// What is at a path, when none but its owner may write there; a link is judged itself, and not what it leads to.
    private static func closed(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & 0o022 == 0 ? status : nil
    }
}
