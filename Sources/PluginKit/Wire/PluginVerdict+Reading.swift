import CastWire
import NIOCore

extension PluginVerdict {
    private enum Word: String, CaseIterable {
        case pass, rewrite, forward, reply, handled, reject, drop
        case deferred = "defer"
    }

    /// The members as they were found.
    private struct Parts {
        var word = Word.pass
        var payload: CastMessage.Payload?
        var reason: String?
        var message: String?
        var maximum: Duration?
        var effects: [PluginEffect] = []
    }

    private static let beginning: StaticString = #"{"disposition""#

    /// True when what stands there looks like a verdict.
    static func begins(at start: Int, _ bytes: Span<UInt8>) -> Bool {
        let count = Self.beginning.utf8CodeUnitCount
        guard start + count <= bytes.count else { return false }
        return Self.beginning.withUTF8Buffer { expected in
            for index in 0..<count where bytes[start + index] != expected[index] { return false }
            return true
        }
    }

    /// Reads the verdict of a range of a line.
    /// - Parameter messageID: set to the member `messageId`, which is none of a verdict's.
    init(
        _ content: Range<Int>, of line: ByteBuffer, path: String = "result", messageID: inout String?
    ) throws(SpanReader.Fault) {
        var scanner = JSONScanner(offset: content.lowerBound)
        try self.init(&scanner, line.readableBytesUInt8Span, of: line, path: path, messageID: &messageID)
    }

    /// Reads the verdict where the scanner stands.
    init(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>, of line: ByteBuffer) throws(SpanReader.Fault) {
        var messageID: String?
        try self.init(&scanner, bytes, of: line, path: "result", messageID: &messageID)
    }

    private init(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, of line: ByteBuffer, path: String,
        messageID: inout String?
    ) throws(SpanReader.Fault) {
        var reader = SpanReader(at: scanner.offset, path: path)
        var parts = Parts()
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("disposition", bytes) {
                guard let text = try reader.string("disposition", bytes) else { continue }
                guard let word = Word(rawValue: text) else {
                    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
                    throw reader.fault("disposition", "'\(text)' is none of \(words)")
                }
                parts.word = word
            } else if name.matches("payload", bytes) {
                parts.payload = try reader.payload(bytes, of: line) ?? parts.payload
            } else if name.matches("payloadB64", bytes) {
                parts.payload = try reader.binaryPayload(bytes) ?? parts.payload
            } else if name.matches("reason", bytes) {
                parts.reason = try reader.string("reason", bytes)
            } else if name.matches("message", bytes) {
                parts.message = try reader.string("message", bytes)
            } else if name.matches("maxMs", bytes) {
                parts.maximum = try reader.milliseconds("maxMs", bytes)
            } else if name.matches("effects", bytes) {
                parts.effects = try Self.effects(try reader.skip(bytes), of: line, path: path)
            } else if name.matches("messageId", bytes) {
                messageID = try reader.string("messageId", bytes)
            } else {
                try reader.skip(bytes)
            }
        }
        scanner = reader.scanner
        self.init(try Self.disposition(parts, reader), effects: parts.effects)
    }

    private static func disposition(_ parts: Parts, _ reader: SpanReader) throws(SpanReader.Fault) -> Disposition {
        switch parts.word {
        case .pass: return .pass
        case .handled: return .handled
        case .deferred: return .deferred(parts.maximum)
        case .forward: return .forward(parts.payload)
        case .rewrite:
            guard let payload = parts.payload else { throw reader.fault("payload", "is missing; rewrite needs it") }
            return .rewrite(payload)
        case .reply:
            guard let payload = parts.payload else { throw reader.fault("payload", "is missing; reply needs it") }
            return .reply(payload)
        case .reject:
            guard let reason = parts.reason else { throw reader.fault("reason", "is missing; reject needs it") }
            return .reject(reason: reason, message: parts.message)
        case .drop:
            guard let reason = parts.reason else { throw reader.fault("reason", "is missing; drop needs it") }
            return .drop(reason)
        }
    }

    /// Effects are few, so they are read by way of values.
    private static func effects(
        _ content: Range<Int>, of line: ByteBuffer, path: String
    ) throws(SpanReader.Fault) -> [PluginEffect] {
        guard let slice = line.getSlice(at: line.readerIndex + content.lowerBound, length: content.count) else {
            return []
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(slice) } catch { throw .json(error) }
        do throws(PluginWireError) {
            return try ObjectReader(["effects": value], at: path).list("effects")
        } catch {
            throw .value(error)
        }
    }
}
