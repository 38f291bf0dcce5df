import NIOCore

extension NIODeadline {
    /// Seconds beyond which nothing is planned, about three years.
    static let farAway: Double = 100_000_000

    /// The seconds from this instant to another, 0 when that is earlier.
    func seconds(until other: NIODeadline) -> Double {
        guard other > self else { return 0 }
        return Double(other.uptimeNanoseconds - self.uptimeNanoseconds) / 1_000_000_000
    }

    /// The instant that many seconds later; never earlier, and at most three years.
    func later(by seconds: Double) -> NIODeadline {
        let bounded = min(max(seconds, 0), Self.farAway)
        return self + .nanoseconds(Int64((bounded * 1_000_000_000).rounded(.up)))
    }

    /// The instant that much later; never earlier, and at most three years.
    func later(by duration: Duration) -> NIODeadline {
        guard duration < .seconds(Int64(Self.farAway)) else { return self.later(by: Self.farAway) }
        let (seconds, attoseconds) = duration.components
        return self + .nanoseconds(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }
}
