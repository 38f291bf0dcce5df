import NIOCore
import NIOEmbedded
import Testing

@testable import CastTransport

@Suite struct HangUpTests {
    /// As TLS does, it waits for the farewell of its peer before it closes.
    private final class PatientHandler: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            context.eventLoop.scheduleTask(in: .seconds(5)) {}
            promise?.fail(ChannelError.operationUnsupported)
        }
    }

    @Test func aConnectionThatGivesWayIsNotWaitedFor() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(PatientHandler(), name: CastPipeline.tlsHandlerName)
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 4711), promise: nil)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        channel.hangUp()
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test func withoutTLSItIsClosedAsWell() throws {
        let channel = EmbeddedChannel()
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 4711), promise: nil)
        channel.hangUp()
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }
}
