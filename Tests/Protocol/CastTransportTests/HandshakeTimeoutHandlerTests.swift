import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import CastTransport

@Suite struct HandshakeTimeoutHandlerTests {
    @Test func whoNeverFinishesTLSIsGivenUp() throws {
        let channel = EmbeddedChannel(handler: HandshakeTimeoutHandler(timeout: .seconds(10)))
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        try channel.throwIfErrorCaught()
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(throws: TransportError.handshakeTimedOut) { try channel.throwIfErrorCaught() }
    }

    @Test func aFinishedHandshakeEndsTheWaitAndIsPassedOn() throws {
        final class Listener: ChannelInboundHandler {
            typealias InboundIn = Any
            var events = 0
            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { self.events += 1 }
        }
        let listener = Listener()
        let channel = EmbeddedChannel(handlers: [HandshakeTimeoutHandler(timeout: .seconds(10)), listener])
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        try channel.throwIfErrorCaught()
        #expect(listener.events == 1)
        #expect(throws: (any Error).self) {
            _ = try channel.pipeline.syncOperations.handler(type: HandshakeTimeoutHandler.self)
        }
    }
}
