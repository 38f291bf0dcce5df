import CastWire
public import NIOCore

/// Asks a plugin to decide about a message.
public struct MessageRequest: Hashable, Sendable {
    /// What the plugin is asked as: ``PluginPhase/filter`` or ``PluginPhase/handle``.
    public var phase: PluginPhase
    /// How much time is left for the verdict.
    public var deadline: Duration
    /// The message.
    public var message: PluginMessage

    /// Makes a request.
    public init(phase: PluginPhase, deadline: Duration, message: PluginMessage) {
        self.phase = phase
        self.deadline = deadline
        self.message = message
    }

    /// Appends the request as a line, without detours.
    public func write(id: PluginRequestID, to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        RPCWriter.write(id, to: &buffer)
        switch self.phase {
        case .filter: buffer.writeStaticString(#","method":"message","params":{"phase":"filter","deadlineMs":"#)
        case .handle: buffer.writeStaticString(#","method":"message","params":{"phase":"handle","deadlineMs":"#)
        case .observe: buffer.writeStaticString(#","method":"message","params":{"phase":"observe","deadlineMs":"#)
        }
        buffer.writeDecimal(self.deadline.wireMilliseconds)
        buffer.writeStaticString(#","message":"#)
        self.message.write(to: &buffer)
        buffer.writeStaticString("}}\n")
    }

    init(_ content: Range<Int>, of line: ByteBuffer) throws(SpanReader.Fault) {
        let bytes = line.readableBytesUInt8Span
        var reader = SpanReader(at: content.lowerBound, path: "params")
        var phase: PluginPhase?
        var deadline: Duration?
        var message: PluginMessage?
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("phase", bytes) {
                guard let text = try reader.string("phase", bytes) else { continue }
                guard let known = PluginPhase(rawValue: text) else {
                    throw reader.fault("phase", "'\(text)' is none of filter, handle, observe")
                }
                phase = known
            } else if name.matches("deadlineMs", bytes) {
                deadline = try reader.milliseconds("deadlineMs", bytes)
            } else if name.matches("message", bytes) {
                message = try PluginMessage(&reader, bytes, of: line)
            } else {
                try reader.skip(bytes)
            }
        }
        guard let phase else { throw reader.fault("phase", "is missing") }
        guard let deadline else { throw reader.fault("deadlineMs", "is missing") }
        guard let message else { throw reader.fault("message", "is missing") }
        self.init(phase: phase, deadline: deadline, message: message)
    }
}
