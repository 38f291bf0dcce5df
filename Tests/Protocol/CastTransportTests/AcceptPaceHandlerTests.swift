import NIOCore
import NIOEmbedded
import Testing

@testable import CastTransport

@Suite struct AcceptPaceHandlerTests {
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0

        func read(context: ChannelHandlerContext) { self.count += 1 }
    }

    @Test func anotherPaceCountsAtOnce() throws {
        let reads = Reads()
        var pace: Int? = 8
        let channel = EmbeddedChannel(handlers: [reads, AcceptPaceHandler(perSecond: pace)])
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 8009), promise: nil)
        channel.embeddedEventLoop.run()
        func accept() {
            channel.pipeline.fireChannelRead(EmbeddedChannel() as any Channel)
            channel.read()
        }
        let before = reads.count
        accept()
        #expect(reads.count == before)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(reads.count == before + 1)
        pace = nil
        for _ in 0..<100 { accept() }
        #expect(reads.count == before + 101)
        pace = 8
        accept()
        #expect(reads.count == before + 101)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func connectionsBeyondThePaceWaitInTheBacklog() throws {
        let reads = Reads()
        let channel = EmbeddedChannel(handlers: [reads, AcceptPaceHandler(perSecond: 800)])
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 8009), promise: nil)
        channel.embeddedEventLoop.run()
        let before = reads.count
        // A full bucket: every connection is followed by another read.
        for _ in 0..<99 {
            channel.pipeline.fireChannelRead(EmbeddedChannel() as any Channel)
            channel.read()
        }
        #expect(reads.count == before + 99)
        channel.pipeline.fireChannelRead(EmbeddedChannel() as any Channel)
        channel.read()
        channel.read()
        #expect(reads.count == before + 99)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(20))
        #expect(reads.count == before + 100)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
