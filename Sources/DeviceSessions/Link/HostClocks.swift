import Glibc

/// What the host's clocks show at one moment, in nanoseconds.
struct HostClocks: Sendable, Hashable {
    /// Stands still while the host sleeps; what timers go by.
    let monotonic: Int64
    /// Goes on while the host sleeps.
    let boottime: Int64
    /// The wall clock, which also tells that a virtual machine stood still.
    let realtime: Int64

    /// The clocks of this host now.
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
