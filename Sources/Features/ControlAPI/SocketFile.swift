package import GatewayConfig
package import GatewayCore
import Glibc
import SystemPrimitives

/// The file of a listening socket in the file system.
struct SocketFile {
    let path: String

    private static let backlog: CInt = 64

    /// Removes a socket that a dead process left behind.
    /// - Throws: ``GatewayError`` with `listenFailed` when another process answers there, or the path is no socket.
    func removeStale() throws(GatewayError) {
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

    /// Checks that no other gateway answers there.
    /// - Throws: ``GatewayError`` with `listenFailed` when one does.
    func checkFree() throws(GatewayError) {
        var info = stat()
        guard self.path.utf8.count <= AdminAddress.maximumPathLength, lstat(self.path, &info) == 0,
            info.st_mode & S_IFMT == S_IFSOCK, self.isAnswered
        else { return }
        throw GatewayError(.listenFailed, "another gateway answers at the admin socket \(self.path)")
    }

    /// Makes the socket and listens there. From its first moment only this user may connect.
    /// - Returns: the descriptor of the socket, which the caller closes.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    func listen() throws(GatewayError) -> CInt {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw self.failure("made") }
        guard self.bind(descriptor) else {
            defer { close(descriptor) }
            throw self.failure("made")
        }
        // Until it listens every attempt to connect is refused, so there is no moment with another mode.
        guard chmod(self.path, 0o600) == 0, Glibc.listen(descriptor, Self.backlog) == 0 else {
            defer {
                close(descriptor)
                self.remove()
            }
            throw self.failure("restricted to this user")
        }
        return descriptor
    }

    private func failure(_ what: String) -> GatewayError {
        GatewayError(
            .listenFailed, "the admin socket \(self.path) cannot be \(what): \(String(cString: strerror(errno)))")
    }

    /// Gives the socket its name, with the mode 0600 at once where the system takes it from the descriptor, as Linux does.
    func bind(_ descriptor: CInt) -> Bool {
        fchmod(descriptor, 0o600)
        return UnixSocketAddress(path: self.path)?.withAddress { Glibc.bind(descriptor, $0, $1) } == 0
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
        guard let address = UnixSocketAddress(path: self.path) else { return false }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // A full queue, of a process that hangs, means that it listens, and is not waited for; only a refusal says that none
        // does.
        return address.withAddress { connect(descriptor, $0, $1) == 0 || errno != ECONNREFUSED }
    }
}

/// Where an admin listener came to listen.
package enum ControlPlace: Sendable, Hashable {
    /// At a socket of the file system.
    case socket(String)
    /// At a loopback address.
    case tcp(ListenAddress)
    /// Nowhere: it is off, or its socket cannot be made.
    case nowhere

    /// Checks that no other gateway answers at the place that a configuration names. Changes nothing.
    ///
    /// - Parameter stateDirectory: `gateway.state_directory`.
    /// - Throws: ``GatewayError`` with `listenFailed` when one does.
    package static func checkFree(
        _ configuration: AdminConfiguration, stateDirectory: String
    ) throws(GatewayError) {
        guard let path = configuration.listen.socketPath(stateDirectory: stateDirectory) else { return }
        try SocketFile(path: path).checkFree()
    }
}
