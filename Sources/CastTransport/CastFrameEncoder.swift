import CastWire
import NIOCore

/// Messages to bytes; what is written in one turn leaves at the flush.
///
/// Towards devices the frames of a turn are one piece, which costs one TLS record. Towards senders every frame is a
/// piece, and with it a TLS record, of its own: pychromecast waits for the socket before each message, so it would see
/// the second one of a record only when something else arrives, seconds later.
final class CastFrameEncoder: ChannelOutboundHandler {
    typealias OutboundIn = CastMessage
    typealias OutboundOut = ByteBuffer

    /// A turn's frames leave by themselves from this many bytes on.
    static let pieceLimit = 128 * 1024

    private let collectsFrames: Bool
    private var pending = ByteBuffer()
    private var promise: EventLoopPromise<Void>?
    /// Bytes handed on since the last flush.
    private var unflushed = 0

    /// - Parameter collectsFrames: whether the frames of one turn become one piece.
    init(collectsFrames: Bool) {
        self.collectsFrames = collectsFrames
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        do {
            try Self.unwrapOutboundIn(data).serializeFrame(into: &self.pending)
        } catch {
            promise?.fail(error)
            return
        }
        if let promise {
            if let collected = self.promise {
                collected.futureResult.cascade(to: promise)
            } else {
                self.promise = promise
            }
        }
        if !self.collectsFrames { self.writePending(context) }
        // A turn without end must not pile up here or in TLS, where back pressure does not see it.
        if self.unflushed + self.pending.readableBytes >= Self.pieceLimit { self.flush(context: context) }
    }

    func flush(context: ChannelHandlerContext) {
        self.writePending(context)
        self.unflushed = 0
        context.flush()
    }

    /// Hands on what was collected. It is taken first: a failing write may come back here before it returns.
    private func writePending(_ context: ChannelHandlerContext) {
        guard self.pending.readableBytes > 0 else { return }
        let frames = self.pending
        let promise = self.promise
        // A quiet channel keeps no storage.
        self.pending = ByteBuffer()
        self.promise = nil
        self.unflushed += frames.readableBytes
        context.write(Self.wrapOutboundOut(frames), promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.promise?.fail(ChannelError.ioOnClosedChannel)
        self.promise = nil
    }
}
