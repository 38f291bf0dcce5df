import Glibc
package import NIOCore
import Synchronization

/// What every listening channel has, whatever it listens for: a pause when descriptors are short, and a pace.
package enum AcceptHandlers {
    /// Adds the handlers; called in the initializer of the listening channel.
    /// - Parameters:
    ///   - acceptsPerSecond: connections that are looked at in a second, be they admitted or not; nil for no limit. Asked
    ///     again and again, so that it may change.
    ///   - reserve: as for ``AcceptWatch``.
    ///   - accepting: called for every connection that comes in, before it is admitted, and for every failure to accept.
    /// - Throws: when the channel is closed already.
    package static func install(
        in channel: any Channel, acceptsPerSecond: @escaping @Sendable () -> Int?, reserve: DescriptorReserve? = nil,
        accepting: @escaping @Sendable (_ outcome: AcceptOutcome) -> Void
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(AcceptWatch(report: accepting, reserve: reserve))
        try pipeline.addHandler(AcceptPaceHandler(perSecond: acceptsPerSecond()))
    }
}

/// What became of the attempt to accept a connection.
package enum AcceptOutcome: Sendable, Hashable {
    case accepted
    /// The system refused, mostly for want of descriptors; it is tried again in a second.
    case failed(reason: String)
}

/// Sits on a listening channel, says what becomes of accepting, and pauses when the system has no room for a socket.
///
/// Without the pause the channel would try again at once and for ever, since what waits to be accepted stays there; the
/// event loop with all its connections would do little else.
package final class AcceptWatch: ChannelInboundHandler {
    /// What comes in.
    package typealias InboundIn = any Channel
    /// What goes on.
    package typealias InboundOut = any Channel

    /// No more descriptors, or no more memory for a socket.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
    private static let pause = TimeAmount.seconds(1)

    private let report: @Sendable (AcceptOutcome) -> Void
    private let reserve: DescriptorReserve?

    /// Makes a handler; its place is before all others.
    /// - Parameters:
    ///   - report: called for every connection that comes in, and for every failure to accept for want of room.
    ///   - reserve: what a connection may have when there is no room otherwise; nil for a listener that has to wait.
    package init(report: @escaping @Sendable (AcceptOutcome) -> Void, reserve: DescriptorReserve? = nil) {
        self.report = report
        self.reserve = reserve
    }

    /// Passes a connection on.
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.report(.accepted)
        if let reserve, !reserve.isHeld {
            Self.unwrapInboundIn(data).closeFuture.whenComplete { _ in reserve.refill() }
        }
        context.fireChannelRead(data)
    }

    /// Pauses when there is no room.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
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

/// A descriptor that is kept for the moment when the process has none left, so that one more connection can be accepted.
package final class DescriptorReserve: Sendable {
    private let descriptor = Mutex<CInt?>(nil)

    /// Takes a descriptor, if there is one.
    package init() {
        self.refill()
    }

    deinit {
        _ = self.release()
    }

    /// True while it has something to give.
    package var isHeld: Bool { self.descriptor.withLock { $0 != nil } }

    /// Gives the descriptor back to the system.
    /// - Returns: false when there is none.
    package func release() -> Bool {
        self.descriptor.withLock { held in
            guard let number = held else { return false }
            held = nil
            return close(number) == 0
        }
    }

    /// Takes a descriptor again, if it has none and there is one.
    package func refill() {
        self.descriptor.withLock { held in
            guard held == nil else { return }
            let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
            held = number >= 0 ? number : nil
        }
    }
}
