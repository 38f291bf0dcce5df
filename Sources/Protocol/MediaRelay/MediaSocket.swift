import CDatagrams
import Glibc
import Synchronization

/// A UDP socket that never blocks; it is closed with its last owner.
///
/// A relay takes any two of them, however they were made: where a stream can only be had by other means than an address and a
/// port of the gateway's own, another way to make them is all that is missing.
package final class MediaSocket: Sendable {
    /// The buffer of a socket that is not read for a moment, in bytes: a key frame comes all at once. The kernel may give less.
    private static let bufferSize: Int32 = 1 << 20

    let descriptor: Int32
    package let local: MediaEndpoint

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
    package static func bound(
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
    package static func connected(to peer: MediaEndpoint) throws(MediaRelayError) -> MediaSocket {
        let socket = try OpenDescriptor(family: peer.family)
        guard peer.withSocketAddress({ Glibc.connect(socket.number, $0, $1) }) == 0 else { throw .last("connect") }
        return try MediaSocket(descriptor: socket)
    }

    /// Makes a socket of one address and port of this host that receives from one peer alone, and sends to it; others may have the same
    /// address and port for other peers.
    /// - Parameters:
    ///   - local: an address of this host, with a port.
    ///   - peer: whose datagrams count. What came from others while the socket was made is received too.
    /// - Throws: ``MediaRelayError`` with `system`.
    package static func bound(
        exactlyTo local: MediaEndpoint, connectedTo peer: MediaEndpoint
    ) throws(MediaRelayError) -> MediaSocket {
        let socket = try OpenDescriptor(family: local.family)
        var yes = Int32(1)
        setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard Self.bind(socket.number, to: local) else { throw .last("bind") }
        guard peer.withSocketAddress({ Glibc.connect(socket.number, $0, $1) }) == 0 else { throw .last("connect") }
        return try MediaSocket(descriptor: socket)
    }

    /// Makes a socket to which rules of the system may bring datagrams for other addresses and ports (`tproxy`).
    /// - Parameter address: where it is bound; an IPv4 address of this host.
    /// - Throws: ``MediaRelayError`` with `system`; EPERM without CAP_NET_ADMIN and CAP_NET_RAW.
    package static func transparent(at address: MediaEndpoint) throws(MediaRelayError) -> MediaSocket {
        let socket = try OpenDescriptor(family: address.family)
        guard Transparency.set(Transparency.transparent, of: socket.number) else { throw .last("setsockopt") }
        guard Transparency.set(Transparency.firstDestination, of: socket.number) else { throw .last("setsockopt") }
        guard Self.bind(socket.number, to: address) else { throw .last("bind") }
        return try MediaSocket(descriptor: socket)
    }

    /// Takes a socket that another program has made as ``transparent(at:)`` does; it takes no right to use it.
    /// - Parameter descriptor: its number; the socket owns it from now on, and closes it when this fails.
    /// - Throws: ``MediaRelayError`` with `unfit` for anything but a bound UDP socket of IPv4 with IP_TRANSPARENT, or `system`.
    package static func transparent(adopting descriptor: Int32) throws(MediaRelayError) -> MediaSocket {
        let socket = OpenDescriptor(adopting: descriptor)
        guard Transparency.value(SO_TYPE, SOL_SOCKET, of: descriptor) == Int32(SOCK_DGRAM.rawValue),
            Transparency.value(SO_DOMAIN, SOL_SOCKET, of: descriptor) == AF_INET
        else { throw .unfit("it is no UDP socket of IPv4") }
        guard Transparency.value(Transparency.transparent, Transparency.level, of: descriptor) == 1 else {
            throw .unfit("it was made without IP_TRANSPARENT")
        }
        guard Transparency.set(Transparency.firstDestination, of: descriptor) else { throw .last("setsockopt") }
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw .last("fcntl") }
        let made = try MediaSocket(descriptor: socket)
        guard made.local.port != 0 else { throw .unfit("it is not bound") }
        return made
    }

    /// The number of datagrams the kernel threw away, since too many waited to be read.
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

        init(adopting number: Int32) { self.number = number }

        deinit { close(self.number) }

        consuming func release() -> Int32 {
            let number = self.number
            discard self
            return number
        }
    }
}

/// The options of sockets that get what was sent elsewhere; <linux/in.h> has the numbers.
private enum Transparency {
    static let level = Int32(IPPROTO_IP)
    /// IP_TRANSPARENT.
    static let transparent: Int32 = 19
    /// IP_RECVORIGDSTADDR.
    static let firstDestination: Int32 = 20

    static func set(_ option: Int32, of socket: Int32) -> Bool {
        var yes = Int32(1)
        return setsockopt(socket, Self.level, option, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Returns the value of an option; nil when it cannot be asked.
    static func value(_ option: Int32, _ level: Int32, of socket: Int32) -> Int32? {
        var value = Int32(0)
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, level, option, &value, &length) == 0 ? value : nil
    }
}

/// The port at which the next search for a free one begins.
private enum PortTurn {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue & 0xFFFF }
}
