import Glibc
public import NIOCore

/// Sits on a listening channel, says what becomes of accepting, and pauses when the system has no room for a socket.
///
/// Without the pause the channel would try again at once and for ever, since what waits to be accepted stays there; the
/// event loop with all its connections would do little else.
public final class AcceptWatch: ChannelInboundHandler {
    /// What comes in.
    public typealias InboundIn = any Channel
    /// What goes on.
    public typealias InboundOut = any Channel

    /// No more descriptors, or no more memory for a socket.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
    private static let pause = TimeAmount.seconds(1)

    private let report: @Sendable (AcceptOutcome) -> Void
    private let reserve: DescriptorReserve?

    /// Makes a handler; its place is before all others.
    /// - Parameters:
    ///   - report: called for every connection that comes in, and for every failure to accept for want of room.
    ///   - reserve: what a connection may have when there is no room otherwise; nil for a listener that has to wait.
    public init(report: @escaping @Sendable (AcceptOutcome) -> Void, reserve: DescriptorReserve? = nil) {
        self.report = report
        self.reserve = reserve
    }

    /// Passes a connection on.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.report(.accepted)
        if let reserve, !reserve.isHeld {
            Self.unwrapInboundIn(data).closeFuture.whenComplete { _ in reserve.refill() }
        }
        context.fireChannelRead(data)
    }

    /// Pauses when there is no room.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.shortages.contains(error.errnoCode) else {
            context.fireErrorCaught(error)
            return
        }
        // The channel tries again at once, and finds what was given back.
        if let reserve, reserve.release() { return }
        self.report(.failed(reason: TransportError.text(of: error)))
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: Self.pause) { [reserve] in
            reserve?.refill()
            // A channel that was closed meanwhile has nothing to go on with.
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
