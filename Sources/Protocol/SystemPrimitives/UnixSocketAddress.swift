package import Glibc

/// The address of a Unix domain socket, ready for `bind`, `connect` and `sendto` (unix(7)).
package struct UnixSocketAddress: Sendable {
    /// How many bytes a path may have; the system's field has one more for the NUL behind it.
    package static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The bytes of `sun_path` that count.
    private let name: [UInt8]

    /// The address of a socket in the file system; nil for an empty path and for one that is too long or has a NUL in it.
    package init?(path: String) {
        let bytes = Array(path.utf8)
        guard (1...Self.maximumPathLength).contains(bytes.count), !bytes.contains(0) else { return nil }
        self.name = bytes + [0]
    }

    /// The address of a socket in the abstract namespace; nil for an empty name and for one that is too long.
    package init?(abstractName: String) {
        let bytes = Array(abstractName.utf8)
        guard (1...Self.maximumPathLength).contains(bytes.count) else { return nil }
        self.name = [0] + bytes
    }

    /// Lends the address to a system call.
    package func withAddress<Result>(_ body: (_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Result)
        -> Result
    {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + self.name.count)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Connects to a stream socket of the file system.
    /// - Returns: the descriptor, which the caller closes, or nil; `errno` says why.
    package static func connect(to path: String) -> Int32? {
        guard let address = UnixSocketAddress(path: path) else {
            errno = path.utf8.count > Self.maximumPathLength ? ENAMETOOLONG : EINVAL
            return nil
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        guard address.withAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        return descriptor
    }
}
