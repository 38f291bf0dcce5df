import SystemPrimitives

/// One thing that a service manager is told, as sd_notify(3) prescribes.
public enum ServiceNotice: Sendable, Hashable {
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
