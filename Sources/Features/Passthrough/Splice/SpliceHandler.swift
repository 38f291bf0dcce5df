import NIOCore

/// The last handler of one of the two channels of a splice: tells the splice what happens there.
final class SpliceHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let side: SpliceSide
    private let splice: Splice

    init(_ side: SpliceSide, of splice: Splice) {
        self.side = side
        self.splice = splice
    }

    func channelActive(context: ChannelHandlerContext) {
        self.splice.active(self.side)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.splice.received(self.unwrapInboundIn(data), from: self.side)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.splice.readEnded(self.side)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.splice.writabilityChanged(of: self.side, context.channel.isWritable)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { self.splice.handle(.inputEnded(self.side)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.splice.failed(self.side, error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.splice.handle(.lost(self.side))
    }
}
