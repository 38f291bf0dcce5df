import Glibc

/// The time of day, for what certificates say.
public enum WallClock {
    /// Seconds since 1970.
    public static var secondsSince1970: Int64 { Int64(time(nil)) }
}
