/// Tells when the host has slept, or stood still as a virtual machine: timers and heartbeats know nothing of that time.
///
/// A wall clock that is set forward looks the same; what follows, a question to every device, does no harm.
struct HostSleepDetector {
    /// A shorter sleep ends no connection.
    static let threshold = Duration.seconds(2)

    private var last: HostClocks

    init(_ clocks: HostClocks) {
        self.last = clocks
    }

    /// Looks at the clocks again.
    /// - Returns: how long the host has slept since the last time; nil when it has not.
    mutating func check(_ clocks: HostClocks) -> Duration? {
        defer { self.last = clocks }
        let awake = clocks.monotonic - self.last.monotonic
        let passed = max(clocks.boottime - self.last.boottime, clocks.realtime - self.last.realtime)
        let slept = Duration.nanoseconds(passed - awake)
        return slept >= Self.threshold ? slept : nil
    }
}
