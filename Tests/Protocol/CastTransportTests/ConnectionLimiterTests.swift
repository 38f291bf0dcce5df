import CastTransport
import NIOCore
import Synchronization
import Testing

@Suite struct ConnectionLimiterTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func limitsPerAddressAndInTotal() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 3, perAddress: 2))
        let first = try limiter.admit("a", at: self.start)
        first.secured()
        try limiter.admit("a", at: self.start).secured()
        #expect(throws: ConnectionLimiter.Refusal.tooManyFromAddress) { try limiter.admit("a", at: self.start) }
        try limiter.admit("b", at: self.start).secured()
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try limiter.admit("b", at: self.start) }
        #expect(limiter.count == 3)
        first.release()
        first.release()
        #expect(limiter.count == 2)
        try limiter.admit("a", at: self.start).secured()
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try limiter.admit("b", at: self.start) }
    }

    @Test func anAddressMayNotChurn() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 100, perAddress: 100, newPerSecond: 5))
        for _ in 0..<10 { try limiter.admit("a", at: self.start).release() }
        #expect(throws: ConnectionLimiter.Refusal.tooFast) { try limiter.admit("a", at: self.start) }
        #expect(limiter.count == 0)
        try limiter.admit("b", at: self.start).release()
        let later = self.start + .milliseconds(200)
        try limiter.admit("a", at: later).release()
        #expect(throws: ConnectionLimiter.Refusal.tooFast) { try limiter.admit("a", at: later) }
    }

    @Test func otherLimitsCountAtOnceAndForgetNothing() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 2, perAddress: 2))
        for _ in 0..<2 { try limiter.admit("a", at: self.start).secured() }
        limiter.limit(ConnectionLimits(total: 5, perAddress: 3, newPerSecond: 1), at: self.start)
        #expect(limiter.count == 2)
        try limiter.admit("a", at: self.start).secured()
        #expect(throws: ConnectionLimiter.Refusal.tooManyFromAddress) { try limiter.admit("a", at: self.start) }
        #expect(throws: ConnectionLimiter.Refusal.tooFast) { try limiter.admit("a", at: self.start) }
        limiter.limit(ConnectionLimits(total: 5, perAddress: 4, newPerSecond: 2), at: self.start)
        for _ in 0..<2 { try limiter.admit("a", at: self.start).release() }
        #expect(throws: ConnectionLimiter.Refusal.tooFast) { try limiter.admit("a", at: self.start) }
        limiter.limit(ConnectionLimits(total: 5, perAddress: 4), at: self.start)
        for _ in 0..<20 { try limiter.admit("a", at: self.start).release() }
        limiter.limit(ConnectionLimits(total: 3, perAddress: 4), at: self.start)
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) {
            for _ in 0..<2 { try limiter.admit("b", at: self.start).secured() }
        }
    }

    @Test func aNetworkOfIPv6CountsAsOne() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 100, perAddress: 1))
        _ = try limiter.admit("2001:db8::1", at: self.start)
        #expect(throws: ConnectionLimiter.Refusal.tooManyFromAddress) {
            try limiter.admit("2001:db8::2", at: self.start)
        }
        _ = try limiter.admit("2001:db8:0:1::2", at: self.start)
    }

    @Test func anAddressMayNotHoldHandshakesOpen() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 1000, perAddress: 64, newPerSecond: 1000))
        let first = try limiter.admit("a", at: self.start)
        for _ in 0..<31 { _ = try limiter.admit("a", at: self.start) }
        #expect(throws: ConnectionLimiter.Refusal.tooManyHandshakes) { try limiter.admit("a", at: self.start) }
        _ = try limiter.admit("b", at: self.start)
        #expect(limiter.unfinishedCount == 33)
        first.secured()
        first.secured()
        _ = try limiter.admit("a", at: self.start)
        #expect(throws: ConnectionLimiter.Refusal.tooManyHandshakes) { try limiter.admit("a", at: self.start) }
    }

    @Test func theOldestUnfinishedHandshakeGivesWay() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 4, perAddress: 4))
        let evicted = Mutex<[String]>([])
        func admit(_ name: String, after time: TimeAmount = .zero) throws -> ConnectionAdmission {
            try limiter.admit(name, at: self.start + time) { evicted.withLock { $0.append(name) } }
        }
        let honest = try admit("honest")
        honest.secured()
        var idle = try ["a", "b", "c", "d"].map { try admit($0) }
        #expect(evicted.withLock { $0 } == ["a"])
        // Their time is over.
        idle.append(try admit("e", after: .seconds(2)))
        #expect(evicted.withLock { $0 } == ["a", "b"])
        for admission in idle.prefix(2) { admission.release() }
        #expect(limiter.count == 4)
        #expect(limiter.unfinishedCount == 3)
    }

    @Test func theTableOfAddressesIsBounded() throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 10, perAddress: 10, newPerSecond: 1))
        let kept = try limiter.admit("kept", at: self.start)
        for number in 0..<40_000 { try limiter.admit("\(number)", at: self.start).release() }
        #expect(limiter.addressCount <= 16_384 + 1)
        for number in 0..<40_000 { try limiter.admit("x\(number)", at: self.start + .minutes(Int64(number))).release() }
        #expect(limiter.addressCount <= 2048)
        kept.release()
        #expect(limiter.count == 0)
    }
}
