/// The schedule by which a message that a destination refused is tried again.
///
/// The first entry of ``delays`` is the wait before the first attempt, and is 0; the next is that before the second, and so on. Real
/// waits differ by up to a tenth, so that messages that failed together are not tried together.
package struct RetrySchedule: Hashable, Sendable {
    /// The pauses before each attempt; as many attempts as there are entries.
    package let delays: [Duration]

    /// Takes the waits before the second and later attempts.
    package init(_ waits: [Duration]) {
        self.delays = [.zero] + waits
    }

    /// The schedule that Standard Webhooks 1.0 gives as its example: ten attempts within three days and a quarter.
    package static let standard = RetrySchedule([
        .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000),
        .seconds(50_400),
        .seconds(72_000), .seconds(86_400),
    ])

    /// For a destination on the local network: five attempts within six minutes.
    package static let short = RetrySchedule([.seconds(2), .seconds(10), .seconds(60), .seconds(300)])

    /// Returns the pause after so many failed attempts; nil when there is no further one.
    /// - Parameter jitter: -1 to 1, which stands for a tenth less to a tenth more.
    func delay(afterAttempts count: Int, jitter: Double) -> Duration? {
        guard count < self.delays.count else { return nil }
        return self.delays[count] * (1 + jitter / 10)
    }
}
