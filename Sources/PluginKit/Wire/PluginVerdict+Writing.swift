import CastWire
public import NIOCore

extension PluginVerdict {
    /// Appends the verdict as a line that answers a `message` request, without detours.
    public func write(id: PluginRequestID, to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        RPCWriter.write(id, to: &buffer)
        buffer.writeStaticString(#","result":{"#)
        self.writeMembers(to: &buffer)
        buffer.writeStaticString("}}\n")
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
