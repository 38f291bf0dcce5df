import NIOCore

/// Keeps a flood of connections from taking the event loop: even to accept one and turn it away is work.
///
/// Sits in the listening channel. Beyond the pace connections wait in the system's backlog, and those that find it full
/// try again by themselves; connections that stand are not concerned.
final class AcceptPaceHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let perSecond: () -> Int?
    private var rate: Int?
    private var bucket: TokenBucket?
    private var isReadHeld = false

    /// - Parameter perSecond: connections that are accepted in a second, an eighth of them at once; nil for no limit.
    ///   Asked for every connection.
    init(perSecond: @autoclosure @escaping () -> Int?) {
        self.perSecond = perSecond
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.follow(at: context.eventLoop.now)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.follow(at: context.eventLoop.now)
        self.bucket?.charge(1, at: context.eventLoop.now)
        context.fireChannelRead(data)
    }

    /// Takes another pace, if there is one.
    private func follow(at now: NIODeadline) {
        let rate = self.perSecond()
        guard rate != self.rate else { return }
        self.rate = rate
        guard let rate else { return self.bucket = nil }
        if self.bucket == nil {
            self.bucket = TokenBucket(perSecond: rate, burst: rate / 8, at: now)
        } else {
            self.bucket?.change(perSecond: rate, burst: rate / 8, at: now)
        }
    }

    func read(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        guard let bucket, !bucket.hasTokens(at: now) else { return context.read() }
        guard !self.isReadHeld else { return }
        self.isReadHeld = true
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: bucket.time(until: 16, at: now)) {
            let (handler, context) = bound.value
            handler.isReadHeld = false
            if context.channel.isActive { context.read() }
        }
    }
}
