public import CastWire
public import NIOCore

/// Writes lines of JSON-RPC 2.0, each with its newline.
public enum RPCWriter {
    /// Appends a request.
    public static func request(
        _ id: PluginRequestID, _ method: PluginMethod, _ parameters: JSONObject = [:], to buffer: inout ByteBuffer
    ) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        Self.write(id, to: &buffer)
        Self.write(method, parameters, to: &buffer)
    }

    /// Appends a notification.
    public static func notification(
        _ method: PluginMethod, _ parameters: JSONObject = [:], to buffer: inout ByteBuffer
    ) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0""#)
        Self.write(method, parameters, to: &buffer)
    }

    /// Appends the answer to a request.
    public static func result(_ id: PluginRequestID, _ result: JSONObject = [:], to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        Self.write(id, to: &buffer)
        buffer.writeStaticString(#","result":"#)
        buffer.writeJSON(result)
        buffer.writeStaticString("}\n")
    }

    /// Appends the refusal of a request; without an id when the request's could not be read.
    public static func error(_ id: PluginRequestID?, _ error: PluginRPCError, to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        if let id { Self.write(id, to: &buffer) } else { buffer.writeStaticString("null") }
        buffer.writeStaticString(#","error":"#)
        buffer.writeJSON(error.json)
        buffer.writeStaticString("}\n")
    }

    static func write(_ id: PluginRequestID, to buffer: inout ByteBuffer) {
        switch id {
        case .number(let value): buffer.writeDecimal(value)
        case .string(let text): buffer.writeJSON(text)
        }
    }

    private static func write(_ method: PluginMethod, _ parameters: JSONObject, to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#","method":""#)
        buffer.writeString(method.rawValue)
        buffer.writeStaticString(#"","params":"#)
        buffer.writeJSON(parameters)
        buffer.writeStaticString("}\n")
    }

    /// Appends a request or a notification of a method that has no name here.
    static func unknown(_ id: PluginRequestID?, _ method: String, to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"jsonrpc":"2.0","#)
        if let id {
            buffer.writeStaticString(#""id":"#)
            Self.write(id, to: &buffer)
            buffer.writeStaticString(",")
        }
        buffer.writeStaticString(#""method":"#)
        buffer.writeJSON(method)
        buffer.writeStaticString("}\n")
    }
}

extension ByteBuffer {
    /// Appends text as a JSON string.
    mutating func writeJSON(_ text: String) {
        JSONWriter.write(text: text.utf8Span.span, to: &self)
    }

    /// Appends a JSON object.
    mutating func writeJSON(_ object: JSONObject) {
        JSONWriter.write(.object(object), to: &self)
    }

    /// Appends a whole number in decimal digits.
    mutating func writeDecimal(_ number: Int) {
        self.writeString(String(number))
    }
}
