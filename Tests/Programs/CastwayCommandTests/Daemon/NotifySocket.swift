import Foundation
import Glibc

/// What a service manager listens on: a datagram socket that collects notifications.
final class NotifySocket: Sendable {
    struct Unavailable: Error {}

    /// For `NOTIFY_SOCKET`.
    let name: String
    private let messages: AsyncStream<[String: String]>

    /// Binds a socket at a path, or at an abstract name that begins with `@`.
    init(_ name: String) throws {
        self.name = name
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var path = Array(name.utf8)
        if name.hasPrefix("@") { path[0] = 0 } else { path.append(0) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard descriptor >= 0, isBound else { throw Unavailable() }
        let (messages, input) = AsyncStream.makeStream(of: [String: String].self)
        self.messages = messages
        input.onTermination = { _ in shutdown(descriptor, Int32(SHUT_RDWR)) }
        Thread.detachNewThread {
            var datagram = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &datagram, datagram.count, 0)
                guard count > 0 else { break }
                let lines = String(decoding: datagram.prefix(count), as: UTF8.self).split(separator: "\n")
                let pairs = lines.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
                input.yield(Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 })
            }
            close(descriptor)
            input.finish()
        }
    }

    /// The next notification that has all of these keys; others are passed over.
    func next(_ keys: String...) async -> [String: String]? {
        for await message in self.messages where keys.allSatisfy({ message[$0] != nil }) { return message }
        return nil
    }

    /// The next notification.
    func next() async -> [String: String]? {
        for await message in self.messages { return message }
        return nil
    }
}
