import CastWire
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import CastTransport

/// Many heartbeats of one event loop are woken together.
@Suite struct HeartbeatClockTests {
    /// A heartbeat and what it did, with the time at which it did it.
    final class Peer {
        let timer: HeartbeatTimer
        private(set) var pinged: [NIODeadline] = []
        private(set) var givenUp: NIODeadline?

        init(_ clocks: HeartbeatClocks, on loop: EmbeddedEventLoop) {
            let settings = Heartbeat.Settings(interval: .seconds(5), timeout: .seconds(8))
            self.timer = HeartbeatTimer(role: .sender, settings: settings, clocks: clocks)
            self.timer.start(
                on: loop, ping: { _ in self.pinged.append(loop.now) },
                giveUp: {
                    self.givenUp = loop.now
                    self.timer.stop()
                })
        }
    }

    @Test func thoseWhoAreDueWithinATickArePingedTogether() {
        let loop = EmbeddedEventLoop()
        let clocks = HeartbeatClocks(tick: .milliseconds(250))
        let first = Peer(clocks, on: loop)
        loop.advanceTime(by: .milliseconds(10))
        let second = Peer(clocks, on: loop)
        loop.advanceTime(by: .milliseconds(200))
        let third = Peer(clocks, on: loop)
        loop.advanceTime(by: .seconds(6))
        #expect(first.pinged == [.uptimeNanoseconds(5_000_000_000)])
        #expect(second.pinged == [.uptimeNanoseconds(5_250_000_000)])
        #expect(third.pinged == second.pinged)
    }

    @Test func aSilentPeerIsGivenUpAtTheVeryInstant() {
        let loop = EmbeddedEventLoop()
        let clocks = HeartbeatClocks(tick: .milliseconds(250))
        let early = Peer(clocks, on: loop)
        loop.advanceTime(by: .milliseconds(117))
        let late = Peer(clocks, on: loop)
        loop.advanceTime(by: .seconds(9))
        #expect(early.givenUp == .uptimeNanoseconds(8_000_000_000))
        #expect(late.givenUp == .uptimeNanoseconds(8_117_000_000))
    }

    @Test func whoIsHeardInTimeIsKept() {
        let loop = EmbeddedEventLoop()
        let clocks = HeartbeatClocks(tick: .milliseconds(250))
        let peer = Peer(clocks, on: loop)
        for _ in 0..<20 {
            loop.advanceTime(by: .milliseconds(7900))
            _ = peer.timer.received(.test("x", in: .media), at: loop.now)
        }
        #expect(peer.givenUp == nil)
        #expect(peer.pinged.count == 20)
    }

    @Test func nothingIsLeftWhenAllHaveStopped() {
        let loop = EmbeddedEventLoop()
        let clocks = HeartbeatClocks(tick: .milliseconds(250))
        let peers = (0..<3).map { _ in Peer(clocks, on: loop) }
        for peer in peers { peer.timer.stop() }
        loop.advanceTime(by: .seconds(20))
        #expect(peers.allSatisfy { $0.pinged.isEmpty && $0.givenUp == nil })
        // A new clock, which begins now.
        loop.advanceTime(by: .milliseconds(100))
        let next = Peer(clocks, on: loop)
        loop.advanceTime(by: .seconds(5))
        #expect(next.pinged == [.uptimeNanoseconds(25_100_000_000)])
        next.timer.stop()
    }
}
