package import NIOCore
import NIOWebSocket

/// The state of a WebSocket (RFC 6455), what a frame of the peer means, and by when something has to happen.
///
/// Frames come in, actions go out. Holds no timer and no channel: instants are passed in.
struct WebSocketState {
    enum Action {
        case nothing
        /// A text of the peer is complete, and is UTF-8.
        case text(ByteBuffer)
        /// Bytes of the peer are complete.
        case binary(ByteBuffer)
        /// A ping is to be answered; a later one stands for those before it.
        case pong(ByteBuffer)
        case ping
        /// A Close frame is to be sent, and nothing behind it. Without a code it is empty.
        case sayClose(code: UInt16?, reason: String)
        /// Nothing more is said: a Close frame if there is one, and then the end of the output. The peer has a moment to read it.
        case finish(code: UInt16?, reason: String, saysClose: Bool)
        case disconnect
    }

    private enum Phase {
        case open
        /// A Close frame was sent, and the peer's has not come.
        case closing(CloseGracePeriod)
        case lingering(CloseGracePeriod)
    }

    private let limits: WebSocketLimits
    private var phase = Phase.open
    /// The parts of a message that is not complete, and whether it is text.
    private var parts: (isText: Bool, bytes: ByteBuffer)?
    /// The time when the first bytes of a message that is not complete came.
    private var messageBegan: NIODeadline?
    /// The last sign of life of the peer.
    private var aliveAt: NIODeadline
    private var pingedAt: NIODeadline?

    init(limits: WebSocketLimits, at now: NIODeadline) {
        self.limits = limits
        self.aliveAt = now
    }

    /// True if messages go both ways.
    var isOpen: Bool {
        if case .open = self.phase { true } else { false }
    }

    /// True if bytes of a message have come that is not complete.
    var isReading: Bool { self.messageBegan != nil }

    /// By when something has to happen: ``timePassed(at:)`` says what.
    var deadline: NIODeadline {
        switch self.phase {
        case .open: min(self.lifeDeadline, self.messageDeadline ?? self.lifeDeadline)
        case .closing(let farewell), .lingering(let farewell): farewell.deadline
        }
    }

    private var lifeDeadline: NIODeadline {
        self.pingedAt.map { $0 + self.limits.pongTimeout } ?? self.aliveAt + self.limits.pingInterval
    }

    private var messageDeadline: NIODeadline? { self.messageBegan.map { $0 + self.limits.messageTimeout } }

    /// Judges how much time has passed.
    /// - Parameter unsent: how many bytes the gateway holds for the peer.
    mutating func timePassed(at now: NIODeadline, unsent: Int) -> Action {
        guard now >= self.deadline else { return .nothing }
        if self.isOpen, let end = self.messageDeadline, now >= end {
            return self.fail(code: 1008, reason: "the message is not complete in time", at: now)
        }
        switch self.phase {
        case .open where self.pingedAt == nil:
            self.pingedAt = now
            return .ping
        // A peer that says nothing reads no Close frame either.
        case .open: return .disconnect
        case .closing(var farewell):
            guard !farewell.isOver(at: now, unsent: unsent) else { return .disconnect }
            self.phase = .closing(farewell)
        case .lingering(var farewell):
            guard !farewell.isOver(at: now, unsent: unsent) else { return .disconnect }
            self.phase = .lingering(farewell)
        }
        return .nothing
    }

    /// The peer has taken bytes, so it is there, even if its answer to a ping stands behind many of them.
    mutating func progressed(at now: NIODeadline) {
        self.aliveAt = now
        self.pingedAt = nil
    }

    /// Begins the closing handshake.
    mutating func close(code: UInt16, reason: String, at now: NIODeadline) -> Action {
        guard self.isOpen else { return .nothing }
        self.phase = .closing(CloseGracePeriod(at: now))
        self.parts = nil
        return .sayClose(code: code, reason: reason)
    }

    /// The peer says something that is no frame, or breaks a rule.
    mutating func fail(code: UInt16, reason: String, at now: NIODeadline) -> Action {
        defer { self.phase = .lingering(CloseGracePeriod(at: now)) }
        self.parts = nil
        switch self.phase {
        case .open: return .finish(code: code, reason: reason, saysClose: true)
        case .closing: return .finish(code: nil, reason: "", saysClose: false)
        case .lingering: return .nothing
        }
    }

    mutating func inputEnded() -> Action { .disconnect }

    /// Bytes of the peer have come, be they a frame or a part of one.
    mutating func receivedBytes(at now: NIODeadline) {
        if self.messageBegan == nil { self.messageBegan = now }
    }

    mutating func received(_ frame: WebSocketFrame, at now: NIODeadline) -> Action {
        // A control frame between the parts of a message does not complete it.
        defer { if self.parts == nil { self.messageBegan = nil } }
        if case .lingering = self.phase { return .nothing }
        self.progressed(at: now)
        guard frame.reservedBits.isEmpty else {
            return self.fail(code: 1002, reason: "no extension was agreed on, so reserved bits are 0", at: now)
        }
        guard frame.maskKey != nil else {
            return self.fail(code: 1002, reason: "frames of a client are masked", at: now)
        }
        switch frame.opcode {
        case .connectionClose: return self.peerCloses(frame.unmaskedData, at: now)
        case .ping: return self.isOpen ? .pong(frame.unmaskedData) : .nothing
        case .pong: return .nothing
        case .text, .binary, .continuation: return self.isOpen ? self.data(frame, at: now) : .nothing
        default: return self.fail(code: 1002, reason: "the opcode is reserved", at: now)
        }
    }

    private mutating func data(_ frame: WebSocketFrame, at now: NIODeadline) -> Action {
        var bytes = frame.unmaskedData
        let isText: Bool
        if frame.opcode == .continuation {
            guard var parts = self.parts else {
                return self.fail(code: 1002, reason: "there is no message to continue", at: now)
            }
            self.parts = nil
            guard parts.bytes.readableBytes + bytes.readableBytes <= self.limits.maximumMessageBytes else {
                return self.fail(code: 1009, reason: "the message is too long", at: now)
            }
            parts.bytes.writeBuffer(&bytes)
            (isText, bytes) = (parts.isText, parts.bytes)
        } else {
            guard self.parts == nil else {
                return self.fail(code: 1002, reason: "the message before is not complete", at: now)
            }
            isText = frame.opcode == .text
        }
        guard frame.fin else {
            self.parts = (isText, bytes)
            return .nothing
        }
        guard isText else { return .binary(bytes) }
        guard Self.isText(bytes) else { return self.fail(code: 1007, reason: "a text is not UTF-8", at: now) }
        return .text(bytes)
    }

    private mutating func peerCloses(_ payload: ByteBuffer, at now: NIODeadline) -> Action {
        var payload = payload
        guard case .open = self.phase else {
            self.phase = .lingering(CloseGracePeriod(at: now))
            return .finish(code: nil, reason: "", saysClose: false)
        }
        var code: UInt16?
        if payload.readableBytes > 0 {
            guard let word = payload.readInteger(as: UInt16.self), Self.isCode(word) else {
                return self.fail(code: 1002, reason: "the close code is not one that may be sent", at: now)
            }
            guard Self.isText(payload) else {
                return self.fail(code: 1007, reason: "the reason of the Close frame is not UTF-8", at: now)
            }
            code = word
        }
        self.phase = .lingering(CloseGracePeriod(at: now))
        self.parts = nil
        return .finish(code: code, reason: "", saysClose: true)
    }

    /// The codes that a peer may send (RFC 6455, 7.4, and the registry of IANA).
    private static func isCode(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    private static func isText(_ bytes: ByteBuffer) -> Bool {
        (try? UTF8Span(validating: bytes.readableBytesUInt8Span)) != nil
    }
}

/// The limits of one WebSocket.
package struct WebSocketLimits: Sendable, Hashable {
    /// Most of what a message of the peer may have, in bytes, over all its frames.
    package var maximumMessageBytes: Int
    /// The number of frames of the peer that are read in a second, on the average; the rest waits in the peer. Beyond 1,000,000,000
    /// there is no limit.
    package var framesPerSecond: Int
    /// The time the peer may be silent before it is asked for a sign of life.
    package var pingInterval: TimeAmount
    /// The time it may take to give one.
    package var pongTimeout: TimeAmount
    /// The time a message of the peer may take from its first byte to its last.
    package var messageTimeout: TimeAmount

    package init(
        maximumMessageBytes: Int = 1 << 20, framesPerSecond: Int = 200, pingInterval: TimeAmount = .seconds(30),
        pongTimeout: TimeAmount = .seconds(20), messageTimeout: TimeAmount = .seconds(10)
    ) {
        self.messageTimeout = messageTimeout
        self.maximumMessageBytes = maximumMessageBytes
        self.framesPerSecond = framesPerSecond
        self.pingInterval = pingInterval
        self.pongTimeout = pongTimeout
    }
}

/// Says when the next frame of a peer may be read, so that no peer has more than its frames a second for long.
///
/// Frames that have come with one read are all taken, and are paid for by a pause. A peer that was quiet for a while may send the
/// frames of one second at once.
struct FrameAllowance {
    private let interval: TimeAmount
    private let burst: TimeAmount
    /// The time when the frames so far are paid for.
    private var paidAt: NIODeadline

    init(perSecond count: Int, at now: NIODeadline) {
        self.interval = .nanoseconds(1_000_000_000 / Int64(clamping: max(count, 1)))
        self.burst = .seconds(1)
        self.paidAt = now
    }

    mutating func take(at now: NIODeadline) {
        self.paidAt = max(self.paidAt, now) + self.interval
    }

    /// Returns when more may be read; nil for now.
    func pause(at now: NIODeadline) -> NIODeadline? {
        let end = self.paidAt - self.burst
        return end > now ? end : nil
    }
}
