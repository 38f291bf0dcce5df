import Glibc

/// Files and folders that no other user can have prepared.
public enum TrustedFile {
    /// Whether a file or folder is this user's own or the superuser's, and no other may change it.
    ///
    /// The superuser also trusts the users that run services, except in `/tmp`, where all may write.
    /// - Parameter path: A path; a link is judged itself, and not what it leads to.
    public static func isTrusted(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o022 == 0 else { return false }
        if [0, geteuid()].contains(status.st_uid) { return true }
        return geteuid() == 0 && !path.hasPrefix("/tmp/")
    }
}
