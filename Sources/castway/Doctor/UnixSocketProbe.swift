import Glibc

/// Tries whether somebody listens on a Unix socket.
enum UnixSocketProbe {
    /// Why nobody can be reached there; nil when somebody can.
    static func obstacle(at path: String) -> String? {
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { return "the path is too long" }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return SystemError.text(errno) }
        defer { close(descriptor) }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: bytes)
        }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return code == 0 ? nil : SystemError.text(errno)
    }
}
