import GatewayCore
import Glibc

/// The file of a listening socket in the file system.
struct SocketFile {
    let path: String

    /// Makes way: removes a socket that a dead process left behind.
    /// - Throws: ``GatewayError`` with `listenFailed` when somebody answers there, or something else stands there.
    func makeWay() throws(GatewayError) {
        guard self.path.utf8.count <= AdminAddress.maximumPathLength else {
            throw GatewayError(
                .listenFailed,
                "the path of the admin socket has \(self.path.utf8.count) bytes, but paths of sockets end at \(AdminAddress.maximumPathLength): \(self.path)"
            )
        }
        var info = stat()
        guard lstat(self.path, &info) == 0 else { return }
        guard info.st_mode & S_IFMT == S_IFSOCK else {
            throw GatewayError(.listenFailed, "the admin socket cannot be made: \(self.path) is no socket")
        }
        guard !self.isAnswered else {
            throw GatewayError(.listenFailed, "another gateway answers at the admin socket \(self.path)")
        }
        unlink(self.path)
    }

    /// Looks whether another gateway answers there.
    /// - Throws: ``GatewayError`` with `listenFailed` when one does.
    func checkFree() throws(GatewayError) {
        var info = stat()
        guard self.path.utf8.count <= AdminAddress.maximumPathLength, lstat(self.path, &info) == 0,
            info.st_mode & S_IFMT == S_IFSOCK, self.isAnswered
        else { return }
        throw GatewayError(.listenFailed, "another gateway answers at the admin socket \(self.path)")
    }

    /// Lets nobody in but this user.
    func restrict() {
        chmod(self.path, 0o600)
    }

    /// Which file it is; changes when another process makes its own.
    var identity: UInt64? {
        var info = stat()
        return lstat(self.path, &info) == 0 ? UInt64(info.st_ino) : nil
    }

    func remove() {
        unlink(self.path)
    }

    private var isAnswered: Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // A full queue means that somebody listens; only a refusal says that nobody does.
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 || errno != ECONNREFUSED
            }
        }
    }
}
