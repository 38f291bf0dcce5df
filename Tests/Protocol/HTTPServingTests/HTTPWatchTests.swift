import CastTransport
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServing

/// What a connection has to show before it gives way to no other.
@Suite struct HTTPWatchTests {
    /// What half a request counts as when its caller is known.
    @Test(arguments: [false, true]) func halfARequestOfAKnownCaller(awaitsCaller: Bool) throws {
        let channel = EmbeddedChannel()
        let limiter = ConnectionLimiter(ConnectionLimits(total: 9, perAddress: 9))
        let admission = try limiter.admit("192.0.2.7", bytes: 100, at: channel.eventLoop.now)
        let watch = HTTPWatch(
            limits: HTTPLimits(), admission: admission, awaitsCaller: awaitsCaller, channel: channel,
            isAllowed: { true })
        #expect(watch.received(100) == .pass)
        #expect(watch.head(bodyLength: 50) == .pass)
        watch.callerIsKnown()
        #expect(limiter.unfinishedCount == (awaitsCaller ? 0 : 1))
        #expect(watch.end() == .pass)
        #expect(limiter.unfinishedCount == 0)
    }

    @Test func aRequestIsChargedUntilItsAnswerHasEnded() throws {
        let channel = EmbeddedChannel()
        let limiter = ConnectionLimiter(ConnectionLimits(total: 9, perAddress: 9))
        let admission = try limiter.admit("192.0.2.7", bytes: 100, at: channel.eventLoop.now)
        let watch = HTTPWatch(
            limits: HTTPLimits(), admission: admission, awaitsCaller: false, channel: channel, isAllowed: { true })
        for _ in 0..<3 {
            #expect(watch.received(10_000) == .pass)
            #expect(watch.head(bodyLength: nil) == .pass)
            #expect(watch.end() == .pass)
            #expect(limiter.bytes == 100 + (10_000 - PeerCost.freeRequestBytes) * PeerCost.perRequestByte)
            watch.answered()
            #expect(limiter.bytes == 100)
        }
        #expect(watch.wrote(100_000))
        #expect(limiter.bytes == 100_100)
        watch.writable(true)
        #expect(limiter.bytes == 100)
        #expect(watch.received(10_000) == .pass)
        watch.stop()
        #expect(limiter.bytes == 100)
    }
}
