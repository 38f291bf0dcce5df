import CastWire
import NIOCore

/// A message's payload on one line.
enum MessageText {
    /// JSON without blanks; other text made fit for a terminal; the length of binary payloads.
    static func text(_ message: CastMessage) -> String {
        switch message.payload {
        case .binary(let bytes): return "\(bytes.readableBytes) bytes"
        case .text(let buffer):
            if let value = try? JSONReader.read(buffer) { return value.text }
            return String(buffer: buffer).printable
        }
    }
}
