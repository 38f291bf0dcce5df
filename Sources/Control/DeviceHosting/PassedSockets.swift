import Glibc
import Synchronization

/// The sockets that the service manager has opened for this process, by the names that it gave them (sd_listen_fds(3)).
///
/// Programs that the gateway starts do not get them.
final class PassedSockets: Sendable {
    /// The first descriptor that may be one.
    private static let first: Int32 = 3
    /// A manager that passes more is none.
    private static let most: Int32 = 64

    private let descriptors: Mutex<[(name: String, descriptor: Int32)]>

    /// Those of this process.
    static let ofProcess = PassedSockets(
        variables: ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"].reduce(into: [:]) { variables, name in
            variables[name] = getenv(name).map { String(cString: $0) }
        }, process: getpid())

    /// - Parameters:
    ///   - variables: `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` of the environment.
    ///   - process: the number of this process; sockets for another one are left alone.
    ///   - isOpen: whether there is a descriptor of this number; it is not to be inherited from then on.
    init(
        variables: [String: String], process: Int32,
        isOpen: (Int32) -> Bool = { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
    ) {
        guard variables["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let count = variables["LISTEN_FDS"].flatMap({ Int32($0) }), (1...Self.most).contains(count)
        else {
            self.descriptors = Mutex([])
            return
        }
        let names = (variables["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        self.descriptors = Mutex(
            (0..<count).compactMap { index in
                let descriptor = Self.first + index
                guard isOpen(descriptor) else { return nil }
                return (Int(index) < names.count ? String(names[Int(index)]) : "unknown", descriptor)
            })
    }

    /// Gives a socket away, once.
    /// - Returns: its descriptor, which the caller owns; nil when there is none of this name.
    func take(_ name: String) -> Int32? {
        self.descriptors.withLock { descriptors in
            descriptors.firstIndex { $0.name == name }.map { descriptors.remove(at: $0).descriptor }
        }
    }
}
