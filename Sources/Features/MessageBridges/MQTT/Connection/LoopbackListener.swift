import Glibc
import NIOCore

/// A port of the loopback interface that takes one connection: that of libmosquitto, which can only connect by itself.
final class LoopbackListener {
    /// The time the connection may take, in milliseconds; the kernel makes it at once.
    private static let patience: Int32 = 2000
    /// The number of connections of other programs that are turned away.
    private static let strangers = 16
    /// As much as the address of any socket takes, in bytes.
    private static let addressSize = 128

    /// The address that libmosquitto connects to.
    let host = "127.0.0.1"
    /// The port, chosen by the system.
    let port: Int
    private let descriptor: Int32

    /// - Throws: ``MQTTFailure`` with the error of the system.
    init() throws(MQTTFailure) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .system() }
        let isBound = (try? SocketAddress(ipAddress: self.host, port: 0))?.withSockAddr { address, size in
            bind(descriptor, address, socklen_t(size))
        }
        guard isBound == 0, listen(descriptor, 4) == 0, let port = Self.port(of: descriptor, getsockname) else {
            let failure = MQTTFailure.system()
            Glibc.close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        self.port = port
    }

    deinit { Glibc.close(self.descriptor) }

    /// Takes the connection of a socket of this process, and none of another program.
    /// - Returns: the other end of the connection, which does not block.
    /// - Throws: ``MQTTFailure`` when it does not come.
    func accept(from socket: Int32) throws(MQTTFailure) -> Int32 {
        guard let wanted = Self.port(of: socket, getsockname) else { throw .system() }
        for _ in 0...Self.strangers {
            var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Self.patience) == 1 else { throw .system(ETIMEDOUT) }
            let end = Glibc.accept(self.descriptor, nil, nil)
            guard end >= 0 else { continue }
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            guard Self.port(of: end, getpeername) == wanted else {
                Glibc.close(end)
                continue
            }
            var isOn: Int32 = 1
            setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            return end
        }
        throw .system(ECONNABORTED)
    }

    private static func port(
        of socket: Int32, _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int? {
        var length = socklen_t(Self.addressSize)
        return withUnsafeTemporaryAllocation(byteCount: Self.addressSize, alignment: 8) { address in
            address.initializeMemory(as: UInt8.self, repeating: 0)
            guard let start = address.baseAddress,
                name(socket, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            // Behind the family, whichever it is.
            return Int(UInt16(bigEndian: address.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }
}
