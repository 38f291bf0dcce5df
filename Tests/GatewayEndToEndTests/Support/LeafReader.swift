import NIOCore
import NIOSSL
import NIOTLS

/// Takes down the certificate that the other end serves.
final class LeafReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<[UInt8]>

    init(promise: EventLoopPromise<[UInt8]>) {
        self.promise = promise
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(_) = event {
            let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
            self.promise.completeWith(Result { try handler?.peerCertificate?.toDERBytes() ?? [] })
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
