import GatewayLogging
import Glibc
import NIOCore
import SystemPrimitives

/// Tells the service manager how the gateway is, by datagrams to the socket that `NOTIFY_SOCKET` names (sd_notify(3)).
///
/// The socket is opened once, so that the watchdog is answered also when there are no descriptors left. A manager that
/// does not listen is no trouble: what it is told is lost then.
package final class ServiceNotifier: Sendable {
    /// How long a manager that is busy may keep the gateway waiting, in seconds.
    private static let patience = 1

    private let descriptor: Int32
    private let manager: UnixSocketAddress

    /// Opens the way to the manager; nil when there is none, or `NOTIFY_SOCKET` names something else than a socket.
    /// - Parameter environment: the variables of the process. An address that begins with `/` is a path, one with `@`
    ///   is abstract.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], let first = name.utf8.first else { return nil }
        let manager: UnixSocketAddress?
        switch first {
        case UInt8(ascii: "/") where name.utf8.count > 1: manager = UnixSocketAddress(path: name)
        case UInt8(ascii: "@"): manager = UnixSocketAddress(abstractName: String(name.dropFirst()))
        default: manager = nil
        }
        guard let manager else { return nil }
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return nil }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        self.descriptor = descriptor
        self.manager = manager
    }

    deinit {
        close(self.descriptor)
    }

    /// Tells some things at once.
    /// - Returns: false when the manager does not take them.
    @discardableResult
    package func send(_ notices: ServiceNotice...) -> Bool {
        let text = Array(notices.map(\.text).joined(separator: "\n").utf8)
        let count = self.manager.withAddress {
            sendto(self.descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, $1)
        }
        return count == text.count
    }

    /// Tells that a reload begins; ``reloaded(_:)`` ends it. Until then the manager takes the service as reloading.
    /// - Parameter status: what people read meanwhile.
    package func reloading(_ status: String) {
        // The clock of event loops is CLOCK_MONOTONIC.
        let microseconds = NIODeadline.now().uptimeNanoseconds / 1000
        self.send(.reloading(monotonicMicroseconds: microseconds), .status(status))
    }

    /// Tells that a reload is over, whether it brought something new or was refused.
    /// - Parameter status: what people read from now on.
    package func reloaded(_ status: String) {
        self.send(.ready, .status(status))
    }
}

/// One thing that a service manager is told, as sd_notify(3) prescribes.
package enum ServiceNotice: Sendable, Hashable {
    /// The service works now; also the end of a reload.
    case ready
    /// A reload begins, at this reading of CLOCK_MONOTONIC in microseconds.
    case reloading(monotonicMicroseconds: UInt64)
    /// The end has begun.
    case stopping
    /// What people read in `systemctl status`.
    case status(String)
    /// Everything is alive.
    case watchdog
    /// The state that is being left or reached takes at most this long from now.
    case extendTimeout(Duration)

    /// The assignments, one a line.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        // A line break would begin another assignment.
        case .status(let text): "STATUS=" + text.logSafe
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let time):
            "EXTEND_TIMEOUT_USEC=\(time.wholeMicroseconds)"
        }
    }
}

/// What the service manager demands as signs of life (sd_watchdog_enabled(3)).
package struct Watchdog: Sendable, Hashable {
    /// The manager ends the process that is silent this long.
    package let timeout: Duration

    /// How often to give a sign: twice in that time.
    package var interval: Duration { self.timeout / 2 }

    /// Reads `WATCHDOG_USEC` and `WATCHDOG_PID`; nil when nothing is demanded of this process.
    /// - Parameter processID: whose process; by default this one.
    package init?(environment: [String: String], processID: Int32? = nil) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 1 else {
            return nil
        }
        if let id = environment["WATCHDOG_PID"], !id.isEmpty, Int32(id) != processID ?? getpid() { return nil }
        self.timeout = .microseconds(microseconds)
    }
}
