import CastWire
public import NIOCore

/// Asks a plugin to decide about a message.
public struct MessageRequest: Hashable, Sendable {
    /// The phase: ``RoutingPhase/filter`` or ``RoutingPhase/handle``.
    public var phase: RoutingPhase
    /// How much time is left for the verdict.
    public var deadline: Duration
    /// The message.
    public var message: PluginMessage

    /// Makes a request.
    public init(phase: RoutingPhase, deadline: Duration, message: PluginMessage) {
        self.phase = phase
        self.deadline = deadline
        self.message = message
    }

    /// Appends the request as a line, without detours.
    public func write(id: PluginRequestID, to buffer: inout ByteBuffer) {
        var isWritten = false
        let room = 128 + LineCursor.room(for: id) + LineCursor.roomForNumber + self.message.room
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
            var cursor = LineCursor(memory)
            cursor.raw(#"{"jsonrpc":"2.0","id":"#)
            cursor.id(id)
            switch self.phase {
            case .filter: cursor.raw(#","method":"message","params":{"phase":"filter","deadlineMs":"#)
            case .handle: cursor.raw(#","method":"message","params":{"phase":"handle","deadlineMs":"#)
            case .observe: cursor.raw(#","method":"message","params":{"phase":"observe","deadlineMs":"#)
            }
            cursor.number(self.deadline.wireMilliseconds)
            cursor.raw(#","message":"#)
            isWritten = self.message.writeFront(&cursor)
            return cursor.count
        }
        if !isWritten { self.message.payload.writeMember(to: &buffer) }
        self.message.writeBack(to: &buffer)
        buffer.writeStaticString("}}\n")
    }

    init(_ content: Range<Int>, of line: ByteBuffer) throws(SpanReader.Fault) {
        var scanner = JSONScanner(offset: content.lowerBound)
        var recall = RouteRecall()
        try self.init(&scanner, line.readableBytesUInt8Span, of: line, recalling: &recall)
    }

    /// Reads the parameters where the scanner stands.
    init(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, of line: ByteBuffer, recalling recall: inout RouteRecall
    ) throws(SpanReader.Fault) {
        var reader = SpanReader(at: scanner.offset, path: "params")
        var phase: RoutingPhase?
        var deadline: Duration?
        var message: PluginMessage?
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("phase", bytes) {
                guard let text = try reader.string("phase", bytes) else { continue }
                guard let known = RoutingPhase(rawValue: text) else {
                    throw reader.fault("phase", "'\(text)' is none of filter, handle, observe")
                }
                phase = known
            } else if name.matches("deadlineMs", bytes) {
                deadline = try reader.milliseconds("deadlineMs", bytes)
            } else if name.matches("message", bytes) {
                message = try PluginMessage(&reader, bytes, of: line, recalling: &recall)
            } else {
                try reader.skip(bytes)
            }
        }
        guard let phase else { throw reader.fault("phase", "is missing") }
        guard let deadline else { throw reader.fault("deadlineMs", "is missing") }
        guard let message else { throw reader.fault("message", "is missing") }
        scanner = reader.scanner
        self.init(phase: phase, deadline: deadline, message: message)
    }
}

/// The verdict on a message that a plugin deferred.
public struct MessageCompletion: Hashable, Sendable {
    /// The message's id, as in ``PluginMessage/id``.
    public var messageID: String
    /// The verdict; not ``Disposition/deferred(_:)`` again.
    public var verdict: Verdict

    /// Puts the notification together.
    public init(messageID: String, verdict: Verdict) {
        self.messageID = messageID
        self.verdict = verdict
    }

    /// Appends the notification as a line.
    public func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","method":"message.complete","params":{"messageId":"#)
        buffer.writeJSON(self.messageID)
        buffer.writeStaticString(",")
        self.verdict.writeMembers(to: &buffer)
        buffer.writeStaticString("}}\n")
    }

    init(_ content: Range<Int>, of line: ByteBuffer) throws(SpanReader.Fault) {
        var messageID: String?
        let verdict = try Verdict(content, of: line, path: "params", messageID: &messageID)
        guard let messageID else { throw .value(PluginWireError("params.messageId", "is missing")) }
        if case .deferred = verdict.disposition {
            throw .value(PluginWireError("params.disposition", "a deferred message cannot be deferred again"))
        }
        self.init(messageID: messageID, verdict: verdict)
    }
}

/// The verdict on a message is not awaited any more; one that comes is ignored and counted.
public struct CancelNotice: Hashable, Sendable {
    /// The id of the `message` request.
    public var id: PluginRequestID
    /// The id of the message.
    public var messageID: String?
    /// Why: `deadline`, `flow_closed`, `drain`.
    public var reason: String

    /// Describes what is cancelled.
    public init(id: PluginRequestID, messageID: String?, reason: String) {
        self.id = id
        self.messageID = messageID
        self.reason = reason
    }
}

extension CancelNotice: WireRecord {
    package static let blank = Self(id: 0, messageID: nil, reason: "")

    package static let members: [Member] = [
        .required("id", \.id), .optional("messageId", \.messageID), Member("reason", \.reason),
    ]
}
