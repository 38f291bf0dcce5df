public import NIOCore

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
