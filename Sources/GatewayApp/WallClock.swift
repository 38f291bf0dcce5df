import Glibc

/// The time of day, for what certificates say.
public enum WallClock {
    /// Seconds since 1970.
    public static var secondsSince1970: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
