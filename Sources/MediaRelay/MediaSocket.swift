import CDatagrams
import Glibc
import Synchronization

/// A UDP socket that never blocks; it is closed with its last owner.
///
/// A relay takes any two of them, however they were made: where a stream can only be had by other means than an address and a
/// port of the gateway's own, another way to make them is all that is missing.
public final class MediaSocket: Sendable {
    /// What a socket keeps when it is not read for a moment, in bytes: a key frame comes all at once. The kernel may give less.
    private static let bufferSize: Int32 = 1 << 20

    let descriptor: Int32
    /// Where it is bound.
    public let local: MediaEndpoint

    private init(descriptor: consuming OpenDescriptor) throws(MediaRelayError) {
        self.local = try Self.local(of: descriptor.number)
        self.descriptor = descriptor.release()
    }

    deinit { close(self.descriptor) }

    /// Binds a socket to an address of this host.
    /// - Parameters:
    ///   - address: which; its port does not count.
    ///   - ports: the ports to choose from; nil lets the system choose.
    /// - Throws: ``MediaRelayError``: `noPort` when each port is taken, `system` otherwise.
    public static func bound(
        to address: MediaEndpoint, ports: ClosedRange<Int>? = nil
    ) throws(MediaRelayError) -> MediaSocket {
        let socket = try OpenDescriptor(family: address.family)
        guard let ports else {
            guard Self.bind(socket.number, to: address.at(port: 0)) else { throw .last("bind") }
            return try MediaSocket(descriptor: socket)
        }
        // Not each time from the first one on: a port that was given up a moment ago may still be sent to.
        let start = PortTurn.next()
        for offset in 0..<ports.count {
            let port = ports.lowerBound + (start + offset) % ports.count
            guard let port = UInt16(exactly: port) else { continue }
            if Self.bind(socket.number, to: address.at(port: port)) { return try MediaSocket(descriptor: socket) }
            guard errno == EADDRINUSE else { throw .last("bind") }
        }
        throw .noPort(ports)
    }

    /// Makes a socket that sends to one address and port, and receives from there alone.
    /// - Throws: ``MediaRelayError`` with `system`.
    public static func connected(to peer: MediaEndpoint) throws(MediaRelayError) -> MediaSocket {
        let socket = try OpenDescriptor(family: peer.family)
        guard peer.withSocketAddress({ Glibc.connect(socket.number, $0, $1) }) == 0 else { throw .last("connect") }
        return try MediaSocket(descriptor: socket)
    }

    /// How many datagrams the kernel threw away, since too many waited to be read.
    var overflow: UInt64 { UInt64(castway_overflow(self.descriptor)) }

    private static func bind(_ socket: Int32, to address: MediaEndpoint) -> Bool {
        address.withSocketAddress { Glibc.bind(socket, $0, $1) } == 0
    }

    private static func local(of socket: Int32) throws(MediaRelayError) -> MediaEndpoint {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let endpoint: MediaEndpoint? = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(socket, address, &length) == 0 ? MediaEndpoint(address) : nil
            }
        }
        guard let endpoint else { throw .last("getsockname") }
        return endpoint
    }

    /// A descriptor that is closed unless it is given away.
    private struct OpenDescriptor: ~Copyable {
        let number: Int32

        init(family: Int32) throws(MediaRelayError) {
            let flags = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            self.number = socket(family, flags, 0)
            guard self.number >= 0 else { throw .last("socket") }
            var (size, yes) = (MediaSocket.bufferSize, Int32(1))
            let length = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(self.number, SOL_SOCKET, SO_RCVBUF, &size, length)
            setsockopt(self.number, SOL_SOCKET, SO_SNDBUF, &size, length)
            if family == AF_INET6 { setsockopt(self.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, length) }
        }

        deinit { close(self.number) }

        consuming func release() -> Int32 {
            let number = self.number
            discard self
            return number
        }
    }
}

/// Where the next search for a free port begins.
private enum PortTurn {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue & 0xFFFF }
}
