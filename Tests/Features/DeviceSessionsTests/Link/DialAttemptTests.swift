import CastClient
import CastTransport
import CastWire
import GatewayCore
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import DeviceSessions

/// A name with two addresses: one channel comes to nothing, the other is the device's.
@Suite(.timeLimit(.minutes(1))) struct DialAttemptTests {
    @Test func anAddressThatFailsDoesNotEndTheOther() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        // Accepts, and never begins TLS, so that the session's own dial stays open.
        let listener = try await ServerBootstrap(group: eventLoop).bind(host: "127.0.0.1", port: 0).get()
        let session = try await RelayBench.makeSession(
            port: listener.localAddress?.port ?? 0, heartbeat: .init(interval: .seconds(5), timeout: .seconds(8)),
            events: EventBus(), on: eventLoop)
        let (first, lost) = try await eventLoop.submit {
            let session = session.value
            session.start()
            let attempt = DialAttempt(
                link: session.link, session: session, address: DeviceAddress(host: "127.0.0.1", port: 1))
            let pipeline = CastPipeline(
                role: .sender, heartbeat: .init(interval: .seconds(5), timeout: .seconds(8)),
                handshakeTimeout: .seconds(5))
            let loser = EmbeddedChannel()
            let losing = try pipeline.configure(loser, delegate: attempt)
            let winner = EmbeddedChannel()
            let winning = try pipeline.configure(winner, delegate: attempt)
            attempt.connectionClosed(losing, reason: nil)
            attempt.connected(winning)
            attempt.connectionReady(winning)
            let first = try winner.readOutbound(as: ByteBuffer.self)
            attempt.connectionClosed(losing, reason: nil)
            let isKept = session.link.isConnected
            attempt.connectionClosed(winning, reason: nil)
            _ = try? loser.finish()
            _ = try? winner.finish()
            return (first, isKept && !session.link.isConnected)
        }.get()
        #expect(first != nil, "the winner is spoken to")
        #expect(lost)
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
        try await listener.close()
    }
}
