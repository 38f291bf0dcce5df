import CastWire
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import CastTransport

@Suite struct SlowReaderHandlerTests {
    /// Counts the reads that reach the socket.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func read(context: ChannelHandlerContext) {
            self.count += 1
            context.read()
        }
    }

    // The event loops' library has a class of the same name, hence the module in front of ours below.
    private static func setWritable(_ isWritable: Bool, _ channel: EmbeddedChannel) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test func readsAreHeldWhileThePeerDoesNotTakeWhatItIsSent() throws {
        let counter = ReadCounter()
        let channel = EmbeddedChannel(handlers: [counter, SlowReaderHandler()])
        channel.read()
        #expect(counter.count == 1)
        Self.setWritable(false, channel)
        channel.read()
        channel.read()
        #expect(counter.count == 1)
        Self.setWritable(true, channel)
        #expect(counter.count == 2)
        Self.setWritable(false, channel)
        Self.setWritable(true, channel)
        #expect(counter.count == 2)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func aSlowReaderIsClosedAtTheLimitOnce() throws {
        let plain = try PlainChannel(interval: .hours(1), timeout: .hours(2))
        try plain.connect()
        plain.channel.isWritable = false
        let message = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        for _ in 0..<40 {
            plain.connection.send(message)
            plain.connection.flush()
        }
        plain.channel.embeddedEventLoop.run()
        let bytes = try plain.pieces().reduce(0) { $0 + $1.readableBytes }
        #expect(bytes <= 1024 * 1024 && bytes > 900 * 1024)
        #expect(plain.delegate.essence.count == 2)
        guard case .closed(.slowReader) = plain.delegate.essence.last else {
            Issue.record("\(plain.delegate.essence)")
            return
        }
    }

    @Test func whoCatchesUpInTimeMayGoOn() throws {
        let plain = try PlainChannel(interval: .hours(1), timeout: .hours(2))
        try plain.connect()
        let message = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        for _ in 0..<10 {
            Self.setWritable(false, plain.channel)
            for _ in 0..<10 {
                plain.connection.send(message)
                plain.connection.flush()
            }
            Self.setWritable(true, plain.channel)
        }
        #expect(try plain.sent().count == 100)
        #expect(plain.delegate.essence == [.ready])
    }
}
