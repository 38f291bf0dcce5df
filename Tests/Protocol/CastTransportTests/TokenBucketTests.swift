import CastTransport
import NIOCore
import Testing

@Suite struct TokenBucketTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func aFullBucketAllowsItsBurstAndThenItsRate() {
        var bucket = TokenBucket(perSecond: 10, burst: 3, at: self.start)
        let answers = (0..<5).map { _ in bucket.take(at: self.start) }
        #expect(answers == [true, true, true, false, false])
        let later = [99, 100, 101].map { bucket.take(at: self.start + .milliseconds($0)) }
        #expect(later == [false, true, false])
    }

    @Test func itNeverHoldsMoreThanItsBurst() {
        var bucket = TokenBucket(perSecond: 1000, burst: 2, at: self.start)
        let later = self.start + .hours(1)
        let answers = (0..<3).map { _ in bucket.take(at: later) }
        #expect(answers == [true, true, false])
    }

    @Test func aDebtIsPaidBackAndBounded() {
        var bucket = TokenBucket(perSecond: 10, burst: 10, at: self.start)
        bucket.charge(1_000_000, at: self.start)
        #expect(bucket.time(until: 1, at: self.start) == .milliseconds(1100))
        #expect(!bucket.hasTokens(at: self.start + .milliseconds(1099)))
        #expect(bucket.hasTokens(at: self.start + .milliseconds(1100)))
        #expect(!bucket.isFull(at: self.start + .milliseconds(1999)))
        #expect(bucket.isFull(at: self.start + .seconds(2)))
    }

    @Test func timeThatRunsBackGivesNothing() {
        var bucket = TokenBucket(perSecond: 1000, burst: 1, at: self.start)
        let answers = [0, 500].map { bucket.take(at: self.start - .milliseconds($0)) }
        #expect(answers == [true, false])
        #expect(bucket.time(until: 1, at: self.start) == .milliseconds(1))
    }

    @Test func anotherRateForgetsNothing() {
        var bucket = TokenBucket(perSecond: 1, burst: 4, at: self.start)
        let taken = (0..<3).map { _ in bucket.take(at: self.start) }
        #expect(taken == [true, true, true])
        bucket.change(perSecond: 10, burst: 5, at: self.start)
        let answers = (0..<3).map { _ in bucket.take(at: self.start) }
        #expect(answers == [true, true, false])
        #expect(bucket.time(until: 1, at: self.start) == .milliseconds(100))
        bucket.change(perSecond: 10, burst: 1, at: self.start)
        #expect(bucket.time(until: 1, at: self.start) == .milliseconds(200))
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::1", "0:0:0:0::/64"), ("unknown", "unknown"), ("a:b", "a:b"),
    ])
    func anAddressOfIPv6StandsForItsNetwork(address: String, block: String) {
        #expect(AddressBlock(address).description == block)
    }
}
