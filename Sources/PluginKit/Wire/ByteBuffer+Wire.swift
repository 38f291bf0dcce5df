import CastWire
import NIOCore

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
