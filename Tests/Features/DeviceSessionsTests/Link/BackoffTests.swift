import NIOCore
import Testing

@testable import DeviceSessions

@Suite struct BackoffTests {
    private func make(jitter: Double, _ random: Double) -> Backoff {
        Backoff(initial: .milliseconds(250), maximum: .seconds(1), jitter: jitter, random: { random })
    }

    @Test func pausesDoubleUpToTheMaximum() {
        var backoff = self.make(jitter: 0, 1)
        let pauses = (0..<5).map { _ in backoff.next() }
        #expect(
            pauses == [
                .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(1), .seconds(1),
            ])
    }

    @Test func resetBeginsAgain() {
        var backoff = self.make(jitter: 0, 0)
        _ = backoff.next()
        _ = backoff.next()
        backoff.reset()
        #expect(backoff.next() == .milliseconds(250))
    }

    @Test(arguments: [(-1.0, 200), (0.0, 250), (1.0, 300)])
    func jitterShiftsByItsShare(random: Double, milliseconds: Int64) {
        var backoff = self.make(jitter: 0.2, random)
        #expect(backoff.next() == .milliseconds(milliseconds))
        // The shift does not grow into the next pause.
        #expect(backoff.next() == .milliseconds(milliseconds * 2))
    }
}
