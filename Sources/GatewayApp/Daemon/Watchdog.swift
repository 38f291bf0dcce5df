internal import Glibc

/// What the service manager demands as signs of life (sd_watchdog_enabled(3)).
public struct Watchdog: Sendable, Hashable {
    /// The manager ends the process that is silent this long.
    public let timeout: Duration

    /// How often to give a sign: twice in that time.
    public var interval: Duration { self.timeout / 2 }

    /// Reads `WATCHDOG_USEC` and `WATCHDOG_PID`; nil when nothing is demanded of this process.
    /// - Parameter processID: whose process; by default this one.
    public init?(environment: [String: String], processID: Int32? = nil) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 1 else {
            return nil
        }
        if let id = environment["WATCHDOG_PID"], !id.isEmpty, Int32(id) != processID ?? getpid() { return nil }
        self.timeout = .microseconds(microseconds)
    }
}
