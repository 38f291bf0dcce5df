import CastTransport
import NIOCore
import Synchronization
import Testing

/// Connections of one address that have shown nothing: the oldest of them makes room for the next.
@Suite struct ConnectionLimiterStrangersTests {
    private final class Evicted: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { self.names.withLock { $0 } }
        func put(_ name: String) { self.names.withLock { $0.append(name) } }
    }

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func theOldestOfAnAddressMakesRoom() throws {
        let limiter = ConnectionLimiter(
            ConnectionLimits(total: 100, perAddress: 100, newPerSecond: 1000, unfinishedPerAddress: 2))
        let evicted = Evicted()
        _ = try limiter.admit("b", at: self.start) { evicted.put("other") }
        let known = try limiter.admit("a", at: self.start) { evicted.put("known") }
        known.secured()
        let first = try limiter.admit("a", at: self.start) { evicted.put("first") }
        _ = try limiter.admit("a", at: self.start) { evicted.put("second") }
        #expect(evicted.all.isEmpty)
        let third = try limiter.admit("a", at: self.start) { evicted.put("third") }
        #expect(evicted.all == ["first"])
        first.release()
        third.secured()
        // One that is known and idle is none of them.
        third.idle()
        _ = try limiter.admit("a", at: self.start) { evicted.put("fourth") }
        #expect(evicted.all == ["first"])
        _ = try limiter.admit("a", at: self.start) { evicted.put("fifth") }
        #expect(evicted.all == ["first", "second"])
        #expect(limiter.count == 6)
    }

    @Test func theLimitChangesWithTheOthers() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 100, perAddress: 100, newPerSecond: 1000))
        let evicted = Evicted()
        for number in 0..<3 { _ = try limiter.admit("a", at: self.start) { evicted.put("\(number)") } }
        limiter.limit(
            ConnectionLimits(total: 100, perAddress: 100, newPerSecond: 1000, unfinishedPerAddress: 3), at: self.start)
        _ = try limiter.admit("a", at: self.start)
        #expect(evicted.all == ["0"])
    }
}
