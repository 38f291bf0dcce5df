import NIOCore

/// A payload as one who decides about it reads it: what is in it, what is surely not, and what cannot be told.
public enum PayloadReading: Hashable, Sendable {
    /// A JSON object.
    case object(PayloadMembers)
    /// No reader finds a member in it: another JSON value, or a text in which no object begins.
    case noMembers
    /// Not JSON, though other programs may find an object in it; the text says what is wrong.
    case unreadable(String)

    /// Reads a payload.
    public init(_ payload: CastMessage.Payload) {
        switch payload {
        case .binary: self = .unreadable("the payload is binary")
        case .text(let text): self.init(text.readableBytesUInt8Span)
        }
    }

    private init(_ bytes: Span<UInt8>) {
        do throws(JSONError) {
            guard (try? UTF8Span(validating: bytes)) != nil else { throw JSONError(reason: .invalidText, offset: 0) }
            var scanner = JSONScanner()
            scanner.skipBlanks(bytes)
            if try scanner.peek(bytes) == UInt8(ascii: "{") {
                self = .object(try PayloadMembers(bytes))
            } else {
                try scanner.skipValue(bytes, depth: 0)
                try scanner.finish(bytes)
                self = .noMembers
            }
        } catch {
            self = Self.beginsObject(bytes) ? .unreadable("no JSON: \(error.reason.rawValue)") : .noMembers
        }
    }

    private static func beginsObject(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<bytes.count where bytes[index] == UInt8(ascii: "{") { return true }
        return false
    }
}
