package import NIOCore

/// A rate with room for bursts: tokens come back steadily, up to a most, and what is done takes some.
///
/// Knows no clock: instants are passed in.
package struct TokenBucket: Sendable {
    /// One token, short of what rounding may have cost.
    private static let one = 1 - 1e-6

    private var perNanosecond: Double
    private var burst: Double
    private var tokens: Double
    private var counted: NIODeadline

    /// Makes a full bucket.
    /// - Parameters:
    ///   - perSecond: tokens that come back in a second, at least 1.
    ///   - burst: tokens that the full bucket holds, at least 1.
    package init(perSecond: Int, burst: Int, at now: NIODeadline) {
        self.perNanosecond = Double(max(perSecond, 1)) / 1e9
        self.burst = Double(max(burst, 1))
        self.tokens = self.burst
        self.counted = now
    }

    /// Changes the rate; what has been taken stays taken.
    /// - Parameters:
    ///   - perSecond: as for ``init(perSecond:burst:at:)``.
    ///   - burst: as for ``init(perSecond:burst:at:)``.
    package mutating func change(perSecond: Int, burst: Int, at now: NIODeadline) {
        self.refill(at: now)
        let missing = self.burst - self.tokens
        self.perNanosecond = Double(max(perSecond, 1)) / 1e9
        self.burst = Double(max(burst, 1))
        self.tokens = max(self.burst - missing, -self.burst)
    }

    /// Takes one token.
    /// - Returns: false when there is none; nothing is taken then.
    package mutating func take(at now: NIODeadline) -> Bool {
        self.refill(at: now)
        guard self.tokens >= Self.one else { return false }
        self.tokens -= 1
        return true
    }

    /// Takes more than there may be: whatever costs much is let through whole, and those behind it wait longer.
    ///
    /// The debt is never larger than what a full bucket holds.
    /// - Parameter cost: tokens, also parts of one.
    package mutating func charge(_ cost: Double, at now: NIODeadline) {
        self.refill(at: now)
        self.tokens = max(self.tokens - cost, -self.burst)
    }

    /// True while there is a token.
    package func hasTokens(at now: NIODeadline) -> Bool {
        self.available(at: now) >= Self.one
    }

    /// True when nothing is known of the past: forgetting the bucket changes nothing.
    package func isFull(at now: NIODeadline) -> Bool {
        self.available(at: now) >= self.burst
    }

    /// How long until so many tokens are there, if none is taken meanwhile; at most those of a full bucket.
    package func time(until count: Int, at now: NIODeadline) -> TimeAmount {
        let missing = min(Double(count), self.burst) - self.available(at: now)
        guard missing > 0 else { return .zero }
        return .nanoseconds(Int64((missing / self.perNanosecond).rounded(.up)))
    }

    private func available(at now: NIODeadline) -> Double {
        let passed = max((now - self.counted).nanoseconds, 0)
        return min(self.tokens + Double(passed) * self.perNanosecond, self.burst)
    }

    private mutating func refill(at now: NIODeadline) {
        guard now > self.counted else { return }
        self.tokens = self.available(at: now)
        self.counted = now
    }
}
