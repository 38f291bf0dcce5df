import CastTransport
import Testing

@Suite struct ConnectionLimiterTests {
    @Test func limitsPerAddressAndInTotal() throws {
        let limiter = ConnectionLimiter(maximumTotal: 3, maximumPerAddress: 2)
        try limiter.admit("a")
        try limiter.admit("a")
        #expect(throws: ConnectionLimiter.Refusal.tooManyFromAddress) { try limiter.admit("a") }
        try limiter.admit("b")
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try limiter.admit("c") }
        #expect(limiter.count == 3)
        limiter.release("a")
        #expect(limiter.count == 2)
        try limiter.admit("a")
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try limiter.admit("b") }
    }
}
