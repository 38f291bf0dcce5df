import Glibc

/// A port of the loopback interface without a listener.
package enum FreePort {
    /// The system gave none.
    package struct Unavailable: Error {}

    /// A port that was free a moment ago.
    package static func next() throws -> Int { try Self.bound(to: 0) }

    /// A port of a range that was free a moment ago.
    package static func next(in range: ClosedRange<UInt16>) throws -> Int {
        for port in range.shuffled() {
            if let port = try? Self.bound(to: port) { return port }
        }
        throw Unavailable()
    }

    private static func bound(to port: UInt16) throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, length) == 0 && getsockname(socket, generic, &length) == 0
            }
        }
        guard isBound else { throw Unavailable() }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
