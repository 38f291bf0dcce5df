import CastTransport
package import NIOCore
import NIOWebSocket

/// The user of a WebSocket. All calls come on its event loop.
package protocol WebSocketEndpoint: AnyObject {
    /// Messages can be sent from now on.
    func opened()
    /// A text has come; it is UTF-8.
    func received(text: ByteBuffer)
    func received(binary: ByteBuffer)
    /// The peer has taken what was sent, and more can be.
    func becameWritable()
    /// Nothing can be sent any more, and nothing comes. Called once.
    func ended()
}

/// One WebSocket, as its endpoint uses it. For its event loop only.
package struct WebSocket {
    private let handler: WebSocketHandler

    fileprivate init(_ handler: WebSocketHandler) {
        self.handler = handler
    }

    /// The event loop on which it is used.
    package var eventLoop: any EventLoop { self.handler.channel.eventLoop }

    /// True if the peer keeps up. More can be sent when it does not, and is held in memory then.
    package var isWritable: Bool { self.handler.isOpen && self.handler.channel.isWritable }

    /// Adds a text to what is sent with the next ``flush()``, or when all that has come was handled. Does nothing when it is closed.
    /// - Parameter text: UTF-8.
    package func send(text: ByteBuffer) { self.handler.send(text: text) }

    /// Sends what was added.
    package func flush() { self.handler.flush() }

    /// Says that the peer has shown who it is: it gets all of ``WebSocketAcceptance/limits``, and its connection is not evicted.
    package func callerIsKnown() { self.handler.callerIsKnown() }

    /// Ends it by the closing handshake, behind what was added.
    /// - Parameters:
    ///   - code: why: 1000 to 4999 (RFC 6455, 7.4).
    ///   - reason: why, for people; 123 bytes at most.
    package func close(code: UInt16, reason: String) { self.handler.close(code: code, reason: reason) }
}

/// Holds a WebSocket to the protocol and to its limits, and connects it with its endpoint.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Answers to a peer that reads none of them are held up to this; then nothing more is read from it.
    private static let maximumUnread = 256 << 10

    let channel: any Channel
    private let makeEndpoint: @Sendable (WebSocket) -> any WebSocketEndpoint
    private let admission: ConnectionAdmission?
    /// The number of bytes the peer may still send; nil once it is known.
    private var bytesOfStranger: Int?
    private var state: WebSocketState
    private var allowance: FrameAllowance
    private var endpoint: (any WebSocketEndpoint)?
    private var context: ChannelHandlerContext?
    /// Frames that were added and are not on their way.
    private var output = ByteBuffer()
    /// The payload of the last ping that came with this read.
    private var pong: ByteBuffer?
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    private var isReadHeld = false
    private var isReadScheduled = false
    private var messages: RequestCharge
    private var unsent: UnsentCharge

    init(
        limits: WebSocketLimits, bytesOfStranger: Int? = nil, admission: ConnectionAdmission? = nil,
        channel: any Channel, makeEndpoint: @escaping @Sendable (WebSocket) -> any WebSocketEndpoint
    ) {
        self.bytesOfStranger = bytesOfStranger
        self.admission = admission
        self.messages = RequestCharge(admission)
        self.unsent = UnsentCharge(admission)
        self.channel = channel
        self.makeEndpoint = makeEndpoint
        self.state = WebSocketState(limits: limits, at: channel.eventLoop.now)
        self.allowance = FrameAllowance(perSecond: limits.framesPerSecond, at: channel.eventLoop.now)
    }

    /// Adds what makes a connection the WebSocket that was accepted.
    static func install(
        _ acceptance: WebSocketAcceptance, admission: ConnectionAdmission, in channel: any Channel
    ) throws {
        if acceptance.bytesOfStranger == nil { admission.secured() }
        let handler = WebSocketHandler(
            limits: acceptance.limits, bytesOfStranger: acceptance.bytesOfStranger, admission: admission,
            channel: channel, makeEndpoint: acceptance.endpoint)
        try channel.pipeline.syncOperations.addHandlers([
            WebSocketBytesHandler(handler),
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: acceptance.limits.maximumMessageBytes)), handler,
        ])
    }

    func callerIsKnown() {
        self.bytesOfStranger = nil
        self.admission?.secured()
    }

    var isOpen: Bool { self.state.isOpen && self.endpoint != nil }
    private var now: NIODeadline { self.channel.eventLoop.now }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let endpoint = self.makeEndpoint(WebSocket(self))
        self.endpoint = endpoint
        self.follow()
        endpoint.opened()
        self.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.timer?.task.cancel()
        self.timer = nil
        self.end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.task.cancel()
        self.timer = nil
        self.end()
    }

    private func end() {
        guard let endpoint = self.endpoint else { return }
        self.endpoint = nil
        endpoint.ended()
    }

    // MARK: What comes

    /// Bytes have come, whatever they are.
    /// - Returns: false when they are dropped.
    fileprivate func receive(_ count: Int) -> Bool {
        self.state.receivedBytes(at: self.now)
        guard self.messages.received(count) else {
            self.perform(self.state.fail(code: 1013, reason: "the gateway has no memory left", at: self.now))
            return false
        }
        guard let left = self.bytesOfStranger else { return true }
        self.bytesOfStranger = max(left - count, 0)
        guard count > left else { return true }
        self.perform(self.state.fail(code: 1009, reason: "the message is too long", at: self.now))
        return false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = self.now
        self.allowance.take(at: now)
        self.perform(self.state.received(Self.unwrapInboundIn(data), at: now))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.answerPing()
        self.flush()
        if !self.state.isReading { self.messages.answered(oneOf: 1) }
        // What has come may be a part of a message.
        self.follow()
    }

    private func answerPing() {
        guard let pong = self.pong else { return }
        self.pong = nil
        if self.state.isOpen { self.add(0x8A, pong) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength:
            self.perform(self.state.fail(code: 1009, reason: "the message is too long", at: self.now))
        case NIOWebSocketError.fragmentedControlFrame, NIOWebSocketError.multiByteControlFrameLength:
            let reason = "a control frame is whole, and has 125 bytes at most"
            self.perform(self.state.fail(code: 1002, reason: reason, at: self.now))
        default: self.channel.hangUp()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: self.close(code: 1001, reason: "the gateway stops")
        case ChannelEvent.inputClosed: self.perform(self.state.inputEnded())
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func perform(_ action: WebSocketState.Action) {
        switch action {
        case .nothing: return
        case .text(let text): return self.endpoint?.received(text: text) ?? ()
        case .binary(let bytes): return self.endpoint?.received(binary: bytes) ?? ()
        case .pong(let payload): self.pong = payload
        case .ping:
            self.add(0x89, ByteBuffer())
            self.flush()
        case .sayClose(let code, let reason):
            self.addClose(code, reason)
            self.end()
            self.flush()
        case .finish(let code, let reason, let saysClose):
            if saysClose {
                self.answerPing()
                self.addClose(code, reason)
            }
            self.end()
            self.flush()
            self.context?.close(mode: .output, promise: nil)
        case .disconnect: self.channel.hangUp()
        }
        self.follow()
    }

    // MARK: What is read

    func read(context: ChannelHandlerContext) {
        if let pause = self.allowance.pause(at: self.now) {
            self.isReadHeld = true
            self.scheduleRead(at: pause)
        } else if self.isUnread {
            // Goes on when the peer has read.
            self.isReadHeld = true
        } else {
            context.read()
        }
    }

    private var isUnread: Bool {
        !self.channel.isWritable && self.channel.unsentBytes > Self.maximumUnread
    }

    private func scheduleRead(at deadline: NIODeadline) {
        guard !self.isReadScheduled else { return }
        self.isReadScheduled = true
        let bound = NIOLoopBound(self, eventLoop: self.channel.eventLoop)
        self.channel.eventLoop.scheduleTask(deadline: deadline) {
            bound.value.isReadScheduled = false
            bound.value.releaseRead()
        }
    }

    private func releaseRead() {
        guard self.isReadHeld, let context = self.context else { return }
        self.isReadHeld = false
        self.read(context: context)
    }

    // MARK: What is sent

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard self.channel.isWritable else { return }
        self.state.progressed(at: self.now)
        self.unsent.becameWritable()
        if self.isOpen { self.endpoint?.becameWritable() }
        self.releaseRead()
    }

    func send(text: ByteBuffer) {
        if self.isOpen { self.add(0x81, text) }
    }

    func flush() {
        guard self.output.readableBytes > 0, let context = self.context else { return }
        let bytes = self.output
        self.output = ByteBuffer()
        guard self.unsent.write(bytes.readableBytes, isWritable: self.channel.isWritable) else {
            return self.channel.hangUp()
        }
        context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: nil)
    }

    func close(code: UInt16, reason: String) {
        self.perform(self.state.close(code: code, reason: reason, at: self.now))
    }

    private func addClose(_ code: UInt16?, _ reason: String) {
        var payload = ByteBuffer()
        if let code {
            payload.writeInteger(code)
            payload.writeString(reason)
        }
        self.add(0x88, payload)
    }

    /// Adds a whole frame of a server, which is not masked (RFC 6455, 5.2). Frames are collected, and leave in one write.
    private func add(_ first: UInt8, _ payload: ByteBuffer) {
        let count = payload.readableBytes
        self.output.reserveCapacity(minimumWritableBytes: count + 10)
        self.output.writeInteger(first)
        switch count {
        case ...125: self.output.writeInteger(UInt8(count))
        case ...0xFFFF:
            self.output.writeInteger(UInt8(126))
            self.output.writeInteger(UInt16(count))
        default:
            self.output.writeInteger(UInt8(127))
            self.output.writeInteger(UInt64(count))
        }
        self.output.writeImmutableBuffer(payload)
    }

    // MARK: Time

    /// Sets the timer when something has to happen earlier than it rings; a later one is followed when it has rung.
    private func follow() {
        guard self.context != nil else { return }
        let deadline = self.state.deadline
        if let timer {
            guard deadline < timer.at else { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: self.channel.eventLoop)
        let task = self.channel.eventLoop.scheduleTask(deadline: deadline) { bound.value.timerFired() }
        self.timer = (deadline, task)
    }

    private func timerFired() {
        self.timer = nil
        self.perform(self.state.timePassed(at: self.now, unsent: self.channel.unsentBytes))
        self.follow()
    }
}

/// Sees the bytes of a WebSocket before they are frames.
private final class WebSocketBytesHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let handler: WebSocketHandler

    init(_ handler: WebSocketHandler) {
        self.handler = handler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.handler.receive(Self.unwrapInboundIn(data).readableBytes) { context.fireChannelRead(data) }
    }
}
