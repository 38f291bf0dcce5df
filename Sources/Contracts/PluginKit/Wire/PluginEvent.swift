public import CastWire
public import NIOCore

/// An event, or the copy of a message for a plugin that observes. It is not answered.
public struct PluginEvent: Hashable, Sendable {
    /// What happened: `message`, or the name of an event of the gateway's such as `session.ended`.
    public var type: String
    /// The message that passed, when the type is `message`.
    public var message: PluginMessage?
    /// The event's own values, beside `type`, `message` and `dropped`.
    public var data: JSONObject
    /// How many events before this one were left out, since too many waited.
    public var dropped: Int

    /// The type of an event that carries a message.
    public static let messageType = "message"

    /// A message passed.
    public init(_ message: PluginMessage, dropped: Int = 0) {
        self.init(type: Self.messageType, message: message, data: [:], dropped: dropped)
    }

    /// Something else happened.
    public init(type: String, data: JSONObject, dropped: Int = 0) {
        self.init(type: type, message: nil, data: data, dropped: dropped)
    }

    private init(type: String, message: PluginMessage?, data: JSONObject, dropped: Int) {
        self.type = type
        self.message = message
        self.data = data
        self.dropped = dropped
    }

    /// Appends the event as a line, without detours.
    public func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","method":"event","params":{"type":"#)
        buffer.writeJSON(self.type)
        if let message {
            buffer.writeStaticString(#","message":"#)
            message.write(to: &buffer)
        }
        for (name, value) in self.data.members where self.isOwn(name, value) {
            buffer.writeStaticString(",")
            buffer.writeJSON(name)
            buffer.writeStaticString(":")
            JSONWriter.write(value, to: &buffer)
        }
        buffer.writeStaticString(#","dropped":"#)
        buffer.writeDecimal(self.dropped)
        buffer.writeStaticString("}}\n")
    }

    /// True for a value of the event's own. A text under `message` is one; an object there would be a message.
    private func isOwn(_ name: String, _ value: JSONValue) -> Bool {
        switch name {
        case "type", "dropped": false
        case "message": self.message == nil && value.stringValue != nil
        default: true
        }
    }

    init(
        _ content: Range<Int>, of line: ByteBuffer, recalling recall: inout RouteRecall
    ) throws(SpanReader.Fault) {
        let bytes = line.readableBytesUInt8Span
        var reader = SpanReader(at: content.lowerBound, path: "params")
        var type: String?
        var message: PluginMessage?
        var data = JSONObject()
        var dropped = 0
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("type", bytes) {
                type = try reader.string("type", bytes)
            } else if name.matches("message", bytes), !reader.isString(bytes) {
                if try reader.takeNull(bytes) { continue }
                message = try PluginMessage(&reader, bytes, of: line, recalling: &recall)
            } else if name.matches("dropped", bytes) {
                dropped = try reader.int("dropped", bytes) ?? 0
            } else {
                let content = try reader.skip(bytes)
                guard let slice = line.getSlice(at: line.readerIndex + content.lowerBound, length: content.count)
                else { continue }
                do throws(JSONError) {
                    data[name.text(bytes)] = try JSONReader.read(slice)
                } catch {
                    throw .json(error)
                }
            }
        }
        guard let type else { throw reader.fault("type", "is missing") }
        if message != nil { data["message"] = nil }
        if type == Self.messageType, message == nil { throw reader.fault("message", "is missing") }
        self.init(type: type, message: message, data: data, dropped: max(0, dropped))
    }
}
