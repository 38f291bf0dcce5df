import NIOCore

/// Writes messages of one length, and counts those that come back.
final class BareEchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let message = ByteBuffer(string: Sample.payload + "\n")
    private var context: ChannelHandlerContext?
    private var pace = Pace(count: 0)
    private var sentAt: CircularBuffer<NIODeadline> = []
    private var unread = 0
    private var done: EventLoopPromise<Round>?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func run(depth: Int, count: Int) -> EventLoopFuture<Round> {
        guard let context else { preconditionFailure("the channel is not open") }
        let done = context.eventLoop.makePromise(of: Round.self)
        self.done = done
        self.pace = Pace(count: count)
        for _ in 0..<depth { self.send(context) }
        context.flush()
        return done.futureResult
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.unread += self.unwrapInboundIn(data).readableBytes
        while self.unread >= self.message.readableBytes, let instant = self.sentAt.popFirst() {
            self.unread -= self.message.readableBytes
            if let round = self.pace.answered(since: instant) {
                self.done?.succeed(round)
            } else {
                self.send(context)
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.done?.fail(ChannelError.eof)
    }

    private func send(_ context: ChannelHandlerContext) {
        guard self.pace.takesOne() else { return }
        self.sentAt.append(.now())
        context.write(self.wrapOutboundOut(self.message), promise: nil)
    }
}
