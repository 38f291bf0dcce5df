import CastWire
import NIOCore

/// Messages to bytes. Collects the frames of one turn and writes them as one piece at the flush.
///
/// Frames are appended whole, so they are never interleaved, and one read's worth of answers costs one TLS record.
final class CastFrameEncoder: ChannelOutboundHandler {
    typealias OutboundIn = CastMessage
    typealias OutboundOut = ByteBuffer

    private var pending = ByteBuffer()
    private var promise: EventLoopPromise<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        do {
            try Self.unwrapOutboundIn(data).serializeFrame(into: &self.pending)
        } catch {
            promise?.fail(error)
            return
        }
        guard let promise else { return }
        if let collected = self.promise { collected.futureResult.cascade(to: promise) } else { self.promise = promise }
    }

    func flush(context: ChannelHandlerContext) {
        if self.pending.readableBytes > 0 {
            context.write(Self.wrapOutboundOut(self.pending), promise: self.promise)
            // The socket may still hold the storage; clearing takes a new one then, and the same one otherwise.
            self.pending.clear()
            self.promise = nil
        }
        context.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.promise?.fail(ChannelError.ioOnClosedChannel)
        self.promise = nil
    }
}
