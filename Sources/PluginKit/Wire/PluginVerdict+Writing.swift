import CastWire
public import NIOCore

extension PluginVerdict {
    /// Appends the verdict as a line that answers a `message` request, without detours.
    public func write(id: PluginRequestID, to buffer: inout ByteBuffer) {
        if self.effects.isEmpty, case .reply(.text(let text)) = self.disposition,
            text.readableBytes <= PluginMessage.shortPayload,
            (try? UTF8Span(validating: text.readableBytesUInt8Span)) != nil
        {
            return Self.writeReply(text, id: id, to: &buffer)
        }
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        RPCWriter.write(id, to: &buffer)
        buffer.writeStaticString(#","result":{"#)
        self.writeMembers(to: &buffer)
        buffer.writeStaticString("}}\n")
    }

    /// Appends what most verdicts are, all at once.
    private static func writeReply(_ text: ByteBuffer, id: PluginRequestID, to buffer: inout ByteBuffer) {
        let room = 128 + LineCursor.room(for: id) + LineCursor.room(forBytes: text.readableBytes)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
            var cursor = LineCursor(memory)
            cursor.raw(#"{"jsonrpc":"2.0","id":"#)
            cursor.id(id)
            cursor.raw(#","result":{"disposition":"reply","payload":"#)
            cursor.string(text.readableBytesUInt8Span)
            cursor.raw("}}\n")
            return cursor.count
        }
    }

    /// Appends the verdict's members, without the braces around them.
    func writeMembers(to buffer: inout ByteBuffer) {
        switch self.disposition {
        case .pass: buffer.writeStaticString(#""disposition":"pass""#)
        case .rewrite(let payload):
            buffer.writeStaticString(#""disposition":"rewrite","#)
            payload.writeMember(to: &buffer)
        case .forward(let payload):
            buffer.writeStaticString(#""disposition":"forward""#)
            if let payload {
                buffer.writeStaticString(",")
                payload.writeMember(to: &buffer)
            }
        case .reply(let payload):
            buffer.writeStaticString(#""disposition":"reply","#)
            payload.writeMember(to: &buffer)
        case .handled: buffer.writeStaticString(#""disposition":"handled""#)
        case .reject(let reason, let message):
            buffer.writeStaticString(#""disposition":"reject","reason":"#)
            buffer.writeJSON(reason)
            if let message {
                buffer.writeStaticString(#","message":"#)
                buffer.writeJSON(message)
            }
        case .drop(let reason):
            buffer.writeStaticString(#""disposition":"drop","reason":"#)
            buffer.writeJSON(reason)
        case .deferred(let maximum):
            buffer.writeStaticString(#""disposition":"defer""#)
            if let maximum {
                buffer.writeStaticString(#","maxMs":"#)
                buffer.writeDecimal(maximum.wireMilliseconds)
            }
        }
        guard !self.effects.isEmpty else { return }
        buffer.writeStaticString(#","effects":"#)
        JSONWriter.write(.array(self.effects.map { .object($0.json) }), to: &buffer)
    }
}
