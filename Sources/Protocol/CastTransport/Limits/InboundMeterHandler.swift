import CastWire
import NIOCore

/// Lets only whole frames pass, and only as many as the budget of the sender's address allows.
///
/// When the budget is used up, the rest waits here and nothing more is read, so TCP holds the peer back and nothing is
/// lost. What waits is at most what one read brought. A frame whose end does not come in time ends the connection.
final class InboundMeterHandler: ChannelDuplexHandler, InboundBudget.Waiter {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    /// What TLS adds to a record at least: header, content type and tag (RFC 8446, 5.2).
    private static let recordOverhead = 22
    /// Records beyond one a message that cost as much as a message.
    private static let recordsPerMessage = 16

    private let budget: InboundBudget
    private let socketBytes: SocketByteCounter?
    private let frameTimeout: TimeAmount
    private var context: ChannelHandlerContext?
    /// The place in the budget's line, once the handler had to wait.
    private var ticket: InboundBudget.Ticket?
    /// Begins with a frame.
    private var held: ByteBuffer?
    private var isThrottled = false
    private var isReadHeld = false
    /// What came is no frame: the decoder gets it all and says so.
    private var isGivenUp = false
    /// When the frame that is not complete began.
    private var frameBegan: NIODeadline?
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - budget: what the sender's address may send.
    ///   - socketBytes: counts what TLS consumes; nil without TLS.
    ///   - frameTimeout: how long a frame may take from its first byte to its last.
    init(budget: InboundBudget, socketBytes: SocketByteCounter?, frameTimeout: TimeAmount) {
        self.budget = budget
        self.socketBytes = socketBytes
        self.frameTimeout = frameTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.ticket?.cancel()
        self.context = nil
    }

    func read(context: ChannelHandlerContext) {
        if self.isThrottled { self.isReadHeld = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        guard !self.isGivenUp else { return context.fireChannelRead(data) }
        let length = bytes.readableBytes
        let isWaiting = self.isThrottled
        if var held {
            self.held = nil
            held.writeBuffer(&bytes)
            bytes = held
        }
        guard !isWaiting else {
            self.held = bytes
            return
        }
        let now = context.eventLoop.now
        let passed = self.pass(&bytes, atMost: .max, isInTurn: false, at: now, context)
        if self.payForRecords(of: length, messages: passed, at: now), !self.budget.allows(isInTurn: false, at: now) {
            self.isThrottled = true
        }
        if bytes.readableBytes > 0 { self.held = bytes }
        if self.isThrottled {
            self.frameBegan = nil
            self.waitInLine()
        } else {
            self.awaitFrame(isAnother: passed > 0, at: now, context)
        }
    }

    private func waitInLine() {
        let ticket = self.ticket ?? InboundBudget.Ticket(self)
        self.ticket = ticket
        self.budget.wait(ticket)
    }

    /// One TLS record with many messages is cheap; many records with a byte each are not.
    /// - Returns: true when there was something to pay.
    private func payForRecords(of plaintext: Int, messages: Int, at now: NIODeadline) -> Bool {
        guard let socketBytes else { return false }
        // Taken also while nothing is limited: the limit may come later, and is not for what was before it.
        let bytes = socketBytes.take()
        guard !self.budget.isUnlimited else { return false }
        let records = max(bytes - plaintext, 0) / Self.recordOverhead
        guard records > messages + Self.recordsPerMessage else { return false }
        self.budget.charge(Double(records - messages) / Double(Self.recordsPerMessage), at: now)
        return true
    }

    /// Hands on whole frames.
    /// - Returns: how many.
    private func pass(
        _ bytes: inout ByteBuffer, atMost limit: Int, isInTurn: Bool, at now: NIODeadline,
        _ context: ChannelHandlerContext
    ) -> Int {
        var end = bytes.readerIndex
        var count = 0
        self.isThrottled = false
        while let declared = bytes.getInteger(at: end, as: UInt32.self) {
            guard declared <= CastMessage.maximumBodyLength else {
                self.isGivenUp = true
                end = bytes.writerIndex
                break
            }
            let next = end + 4 + Int(declared)
            guard next <= bytes.writerIndex else { break }
            guard count < limit, self.budget.allows(isInTurn: isInTurn, at: now) else {
                self.isThrottled = true
                break
            }
            self.budget.charge(InboundBudget.cost(ofMessage: Int(declared)), at: now)
            count += 1
            end = next
        }
        if end > bytes.readerIndex, let whole = bytes.readSlice(length: end - bytes.readerIndex) {
            context.fireChannelRead(Self.wrapInboundOut(whole))
        }
        return count
    }

    func resume(atMost count: Int) -> Bool {
        guard let context, context.channel.isActive, self.isThrottled else { return false }
        var bytes = self.held ?? ByteBuffer()
        self.held = nil
        let now = context.eventLoop.now
        _ = self.pass(&bytes, atMost: count, isInTurn: true, at: now, context)
        if bytes.readableBytes > 0 { self.held = bytes }
        context.fireChannelReadComplete()
        if self.isThrottled { return true }
        self.awaitFrame(isAnother: true, at: now, context)
        if self.isReadHeld {
            self.isReadHeld = false
            context.read()
        }
        return false
    }

    // MARK: Frames that do not end

    /// Notes when a frame began. The timer stays set beyond the frame's end, so that a busy connection sets few.
    private func awaitFrame(isAnother: Bool, at now: NIODeadline, _ context: ChannelHandlerContext) {
        guard self.held != nil else {
            self.frameBegan = nil
            return
        }
        if isAnother || self.frameBegan == nil { self.frameBegan = now }
        if self.timer == nil { self.setTimer(context, in: self.frameTimeout) }
    }

    private func setTimer(_ context: ChannelHandlerContext, in time: TimeAmount) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.timerFired(context)
        }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        self.timer = nil
        guard let began = self.frameBegan else { return }
        let now = context.eventLoop.now
        // While nothing is read, because the peer does not read either, its frame cannot get on.
        if !context.channel.isWritable { self.frameBegan = now }
        let left = (self.frameBegan ?? began) + self.frameTimeout - now
        if left > .zero { return self.setTimer(context, in: left) }
        context.fireErrorCaught(TransportError.slowFrame)
    }
}

/// Counts the bytes that come in below TLS, so that what TLS itself costs can be told.
final class SocketByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.count += Self.unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    /// The bytes that came in since the last call.
    func take() -> Int {
        defer { self.count = 0 }
        return self.count
    }
}
