import NIOCore

/// Keeps what waits for a peer bounded.
///
/// While the peer does not take what it is sent, nothing more is read from it, so its own requests stop; and when
/// broadcasts go on piling up, the channel is closed.
final class SlowReaderHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The channel counts as slow above this, and as recovered at half of it.
    static let highWaterMark = 64 * 1024

    private let limit: Int
    private var unsent: UnsentCharge
    private var isReadHeld = false
    private var pendingBytes = 0
    private var isGivenUp = false

    /// - Parameters:
    ///   - limit: bytes that may pile up behind a peer that does not read.
    ///   - admission: the connection as it is counted; what piles up is charged to it. Nil for one that is not counted.
    init(limit: Int = 1024 * 1024, admission: ConnectionAdmission? = nil) {
        self.limit = limit
        self.unsent = UnsentCharge(admission)
    }

    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { self.isReadHeld = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.isGivenUp else {
            promise?.fail(TransportError.slowReader(pendingBytes: self.pendingBytes))
            return
        }
        if !context.channel.isWritable {
            let count = Self.unwrapOutboundIn(data).readableBytes
            self.pendingBytes += count
            if self.pendingBytes > self.limit || !self.unsent.write(count, isWritable: false) {
                self.isGivenUp = true
                let error = TransportError.slowReader(pendingBytes: self.pendingBytes)
                promise?.fail(error)
                context.fireErrorCaught(error)
                return
            }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            self.pendingBytes = 0
            self.unsent.becameWritable()
            if self.isReadHeld {
                self.isReadHeld = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }
}
