import Glibc

/// A UDP socket of a test, which waits for what it is sent, but never for ever.
package final class UDPPeer: Sendable {
    /// The socket.
    package let descriptor: Int32
    /// Where it is bound.
    package let port: Int

    /// - Parameters:
    ///   - host: an address of this host.
    ///   - port: 0 lets the system choose.
    package init(_ host: String = "127.0.0.1", port: Int = 0) throws {
        let isIPv6 = host.contains(":")
        self.descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard self.descriptor >= 0 else { throw Failure(call: "socket") }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let descriptor = self.descriptor
        guard Self.with(host, port, { bind(descriptor, $0, $1) }) == 0 else { throw Failure(call: "bind") }
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let port = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            // The port stands at the same place in both families.
            return Int(UInt16(bigEndian: storage.pointee.sin6_port))
        }
        self.port = port
    }

    deinit { close(self.descriptor) }

    /// What the system refused.
    package struct Failure: Error {
        /// The call.
        package let call: String
        /// The number of <errno.h>.
        package let number = errno
    }

    private static func with<Result>(
        _ host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends a datagram.
    package func send(_ bytes: [UInt8], to port: Int, at host: String = "127.0.0.1") throws {
        let descriptor = self.descriptor
        let sent = Self.with(host, port) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        guard sent == bytes.count else { throw Failure(call: "sendto") }
    }

    /// Waits for a datagram.
    /// - Returns: what it holds and the port that it came from; nil when none has come within 20 s.
    package func receive() -> (bytes: [UInt8], port: Int)? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let descriptor = self.descriptor
        let count = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &bytes, bytes.count, 0, $0, &length)
            }
        }
        guard count >= 0 else { return nil }
        return (Array(bytes.prefix(count)), Int(UInt16(bigEndian: storage.sin6_port)))
    }
}
