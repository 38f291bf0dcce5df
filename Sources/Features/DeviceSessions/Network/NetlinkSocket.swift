import Glibc
import NIOCore

/// A socket to the kernel's rtnetlink. The numbers are those of `<linux/netlink.h>` and `<linux/rtnetlink.h>`, which never
/// change.
struct NetlinkSocket: ~Copyable {
    /// A refusal of the kernel.
    struct Failure: Error, CustomStringConvertible {
        let call: String
        let number: Int32

        var description: String { "\(self.call): \(String(cString: strerror(self.number)))" }
    }

    /// The kinds of lists that the kernel gives.
    enum List: UInt16 {
        case links = 18
        case addresses = 22
    }

    /// The longest datagram that the kernel sends.
    static let maximumLength = 65_536

    private static let family: Int32 = 16
    /// Links, and the addresses and routes of both protocols.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// Opens a socket at which changes are heard, for ``release()``.
    static func forChanges() throws(Failure) -> NetlinkSocket {
        try Self.open(groups: Self.groups, flags: Int32(SOCK_NONBLOCK.rawValue))
    }

    /// Asks for what is there now; the kernel has the answer at hand.
    static func read(_ list: List) throws(Failure) -> [NetlinkMessage] {
        let socket = try Self.open(groups: 0, flags: 0)
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let (request, dump): (UInt16, UInt16) = (0x1, 0x300)
        var question = ByteBuffer()
        question.writeInteger(UInt32(20), endianness: .host)
        question.writeInteger(list.rawValue, endianness: .host)
        question.writeInteger(request | dump, endianness: .host)
        // Sequence, port, and `struct rtgenmsg`: every family.
        question.writeRepeatingByte(0, count: 12)
        let sent = question.withUnsafeReadableBytes { send(socket.descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == question.readableBytes else { throw Failure(call: "send", number: errno) }
        var messages: [NetlinkMessage] = []
        while true {
            var answer = ByteBuffer()
            let count = answer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.maximumLength) {
                max(0, recv(socket.descriptor, $0.baseAddress, $0.count, 0))
            }
            guard count > 0 else { throw Failure(call: "recv", number: errno) }
            let read = NetlinkMessage.read(answer)
            messages += read
            if read.contains(.done) { return messages }
        }
    }

    /// The descriptor, which the caller closes.
    consuming func release() -> Int32 {
        let descriptor = self.descriptor
        discard self
        return descriptor
    }

    private static func open(groups: UInt32, flags: Int32) throws(Failure) -> NetlinkSocket {
        let descriptor = socket(Self.family, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        let opened = NetlinkSocket(descriptor: descriptor)
        // `struct sockaddr_nl`: family, padding, port (the kernel's choice), groups.
        var address = ByteBuffer()
        address.writeInteger(UInt16(Self.family), endianness: .host)
        address.writeInteger(UInt16(0), endianness: .host)
        address.writeInteger(UInt32(0), endianness: .host)
        address.writeInteger(groups, endianness: .host)
        let result = address.withUnsafeReadableBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard result == 0 else { throw Failure(call: "bind", number: errno) }
        return opened
    }
}
