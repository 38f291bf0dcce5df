import CastTransport
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct TokenBucketsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func keysAreCountedApart() {
        var buckets = TokenBuckets<String>(perSecond: 1, burst: 10, limit: 4)
        let waits = (0..<11).map { _ in buckets.take("one", at: self.start) }
        #expect(waits == Array(repeating: nil, count: 10) + [.seconds(1)])
        let other = buckets.take("two", at: self.start)
        #expect(other == nil)
        let later = (0..<2).map { _ in buckets.take("one", at: self.start + .seconds(1)) }
        #expect(later == [nil, .seconds(1)])
    }

    @Test func fullBucketsMakeRoom() {
        var buckets = TokenBuckets<Int>(perSecond: 1, burst: 2, limit: 4)
        for key in 0..<3 { _ = buckets.take(key, at: self.start) }
        for _ in 0..<3 { _ = buckets.take(3, at: self.start) }
        #expect(buckets.count == 4)
        // The first three are full again, and the last one is not.
        let now = self.start + .seconds(1)
        _ = buckets.take(4, at: now)
        #expect(buckets.count == 2)
        let waits = (0..<2).map { _ in buckets.take(3, at: now) }
        #expect(waits == [nil, .seconds(1)])
    }

    @Test func aFloodOfKeysIsBounded() {
        var buckets = TokenBuckets<Int>(perSecond: 1, burst: 2, limit: 4)
        for key in 0..<4 { _ = buckets.take(key, at: self.start) }
        _ = buckets.take(4, at: self.start)
        #expect(buckets.count == 1)
        for key in 0..<1000 {
            _ = buckets.take(key, at: self.start)
            #expect(buckets.count <= 4)
        }
    }
}
