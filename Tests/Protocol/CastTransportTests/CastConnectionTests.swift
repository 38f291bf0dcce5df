import CastTransport
import CastWire
import CastwayTestSupport
import GatewayTesting
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@Suite struct CastConnectionTests {
    private static let message = CastMessage.test("x", in: .media)

    @Test func theOwnerIsCalledInOrder() throws {
        let plain = try PlainChannel()
        #expect(plain.delegate.calls.isEmpty)
        try plain.connect()
        #expect(plain.connection.peerAddress == "192.0.2.7")
        try plain.read(Self.message, Self.message)
        _ = try plain.channel.finish(acceptAlreadyClosed: true)
        #expect(
            plain.delegate.calls == [
                .ready, .received(Self.message), .received(Self.message), .readComplete, .closed(nil),
            ])
    }

    @Test func nothingHappensAfterTheEnd() throws {
        let plain = try PlainChannel()
        try plain.connect()
        plain.connection.send(Self.message)
        plain.connection.close("done")
        plain.connection.close("again")
        plain.connection.send(Self.message)
        plain.connection.flush()
        plain.channel.embeddedEventLoop.run()
        #expect(try plain.sent() == [Self.message])
        #expect(plain.delegate.essence == [.ready, .closed(.closedLocally("done"))])
        plain.connection.send(Self.message)
        plain.connection.flush()
        #expect(try plain.sent().isEmpty)
        #expect(!plain.connection.isWritable)
    }

    @Test func aMessageBehindAnOwnersCloseIsNotDelivered() throws {
        let plain = try PlainChannel()
        plain.delegate.onCall = { call, connection in
            if case .received = call { connection.close("enough") }
        }
        try plain.connect()
        try plain.read(Self.message, Self.message)
        #expect(plain.delegate.essence == [.ready, .received(Self.message), .closed(.closedLocally("enough"))])
    }

    @Test func aMessageThatIsTooLargeIsRefusedAndCostsNothing() throws {
        let plain = try PlainChannel()
        try plain.connect()
        let isSent = plain.connection.send(.test(String(repeating: "x", count: 70_000), in: .media))
        #expect(!isSent)
        let isNextSent = plain.connection.send(Self.message)
        #expect(isNextSent)
        plain.connection.flush()
        #expect(try plain.sent() == [Self.message])
        #expect(plain.delegate.essence == [.ready])
    }

    @Test func aPeerThatSkipsTheFarewellMerelyWentAway() throws {
        let plain = try PlainChannel()
        try plain.connect()
        plain.channel.pipeline.fireErrorCaught(NIOSSLError.uncleanShutdown)
        _ = try? plain.channel.finish(acceptAlreadyClosed: true)
        #expect(plain.delegate.essence == [.ready, .closed(nil)])
    }

    @Test func theOwnerIsHeldUntilTheChannelIsGone() throws {
        let pipeline = CastPipeline(
            role: .receiver, heartbeat: Heartbeat.Settings(interval: .seconds(5), timeout: .seconds(15)),
            handshakeTimeout: .seconds(10))
        let channel = EmbeddedChannel()
        var delegate: RecordingDelegate? = RecordingDelegate()
        weak let watched = delegate
        try pipeline.configure(channel, delegate: try #require(delegate))
        delegate = nil
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 8009), promise: nil)
        try channel.writeInbound(try Self.message.frame())
        #expect(watched?.received == [Self.message])
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(watched == nil)
    }
}
