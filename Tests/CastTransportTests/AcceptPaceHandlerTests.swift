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
