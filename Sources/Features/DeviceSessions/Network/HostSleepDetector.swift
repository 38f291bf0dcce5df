import Glibc

/// Tells when the host has slept, or stood still as a virtual machine: timers and heartbeats know nothing of that time.
///
/// A wall clock that is set forward looks the same; what follows, a question to every device, does no harm.
struct HostSleepDetector {
    /// The shortest sleep that counts; a shorter one ends no connection.
    static let threshold = Duration.seconds(2)

    private var last: HostClocks

    init(_ clocks: HostClocks) {
        self.last = clocks
    }

    /// Compares the clocks again.
    /// - Returns: how long the host has slept since the last time; nil when it has not.
    mutating func check(_ clocks: HostClocks) -> Duration? {
        defer { self.last = clocks }
        let awake = clocks.monotonic - self.last.monotonic
        let passed = max(clocks.boottime - self.last.boottime, clocks.realtime - self.last.realtime)
        let slept = Duration.nanoseconds(passed - awake)
        return slept >= Self.threshold ? slept : nil
    }
}

/// The host's clocks at one moment, in nanoseconds.
struct HostClocks: Sendable, Hashable {
    /// Stands still while the host sleeps; what timers go by.
    let monotonic: Int64
    /// Includes the time that the host sleeps.
    let boottime: Int64
    /// The wall clock, which also tells that a virtual machine stood still.
    let realtime: Int64

    static func now() -> HostClocks {
        HostClocks(
            monotonic: Self.read(CLOCK_MONOTONIC), boottime: Self.read(CLOCK_BOOTTIME),
            realtime: Self.read(CLOCK_REALTIME))
    }

    private static func read(_ clock: Int32) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
