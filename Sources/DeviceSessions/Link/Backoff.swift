import NIOCore

/// Pauses that double up to a limit, each shifted a little so that many gateways do not dial at once.
struct Backoff {
    private let initial: Duration
    private let maximum: Duration
    private let jitter: Double
    /// A number from -1 to 1.
    private let random: @Sendable () -> Double
    /// The pause that comes next, before it is shifted.
    private(set) var current: Duration

    init(initial: Duration, maximum: Duration, jitter: Double, random: @escaping @Sendable () -> Double) {
        self.initial = initial
        self.maximum = maximum
        self.jitter = jitter
        self.random = random
        self.current = initial
    }

    mutating func next() -> TimeAmount {
        let pause = self.current
        self.current = min(self.current * 2, self.maximum)
        return TimeAmount(pause * (1 + self.jitter * self.random()))
    }

    mutating func reset() {
        self.current = self.initial
    }
}
