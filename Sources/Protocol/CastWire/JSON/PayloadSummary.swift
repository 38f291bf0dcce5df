public import NIOCore

/// What routing needs of a JSON payload, found without building values.
///
/// A payload that is no JSON object, or is malformed, has neither.
public struct PayloadSummary: Hashable, Sendable {
    /// The top-level `type`, or `responseType` when there is no `type`.
    public var type: String?
    /// The top-level `requestId` (`request_id` in the setup namespace; protocol notes, 5.10).
    public var requestID: RequestID?

    /// Makes a summary by hand.
    public init(type: String? = nil, requestID: RequestID? = nil) {
        self.type = type
        self.requestID = requestID
    }

    /// Summarises a payload; a binary one has no summary.
    public init(peeking payload: CastMessage.Payload) {
        if case .text(let buffer) = payload { self.init(peeking: buffer) } else { self.init() }
    }

    /// Summarises a text. All of it is walked, since of a name that stands twice the last value counts, as in
    /// ``JSONObject``: what routes a message and what a handler reads of it must be the same.
    public init(peeking text: ByteBuffer) {
        var scanner = JSONScanner()
        var found = Found()
        let bytes = text.readableBytesUInt8Span
        // What is skipped is not looked at as text, so the encoding is checked here.
        guard (try? UTF8Span(validating: bytes)) != nil, (try? Self.scan(&scanner, bytes, &found)) != nil else {
            return
        }
        self.type = found.type ?? found.responseType
        self.requestID = found.requestID ?? found.snakeCaseRequestID
    }

    /// The last value of each name that counts, nil when it is of another kind.
    private struct Found {
        var type: String?
        var responseType: String?
        var requestID: RequestID?
        var snakeCaseRequestID: RequestID?
    }

    private enum Name {
        case type, responseType, requestID, snakeCaseRequestID
    }

    private static func scan(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, _ found: inout Found
    ) throws(JSONError) {
        guard scanner.take(UInt8(ascii: "{"), bytes) else { throw scanner.unexpected(bytes) }
        if !scanner.take(UInt8(ascii: "}"), bytes) {
            repeat {
                scanner.skipBlanks(bytes)
                guard try scanner.peek(bytes) == UInt8(ascii: "\"") else { throw scanner.unexpected(bytes) }
                let name = try Self.name(&scanner, bytes)
                guard scanner.take(UInt8(ascii: ":"), bytes) else { throw scanner.unexpected(bytes) }
                scanner.skipBlanks(bytes)
                switch name {
                case .type: found.type = try Self.text(&scanner, bytes)
                case .responseType: found.responseType = try Self.text(&scanner, bytes)
                case .requestID: found.requestID = try Self.requestID(&scanner, bytes)
                case .snakeCaseRequestID: found.snakeCaseRequestID = try Self.requestID(&scanner, bytes)
                case nil: try scanner.skipValue(bytes, depth: 1)
                }
            } while scanner.take(UInt8(ascii: ","), bytes)
            guard scanner.take(UInt8(ascii: "}"), bytes) else { throw scanner.unexpected(bytes) }
        }
        scanner.skipBlanks(bytes)
        guard scanner.offset == bytes.count else { throw scanner.error(.trailingBytes) }
    }

    /// Which name comes next, when it is one that counts. Only a name with escapes is built.
    private static func name(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>) throws(JSONError) -> Name? {
        let start = scanner
        let (content, escaped) = try scanner.skipString(bytes)
        if escaped {
            scanner = start
            switch try scanner.string(bytes) {
            case "type": return .type
            case "responseType": return .responseType
            case "requestId": return .requestID
            case "request_id": return .snakeCaseRequestID
            default: return nil
            }
        }
        if Self.matches(bytes, content, "type") { return .type }
        if Self.matches(bytes, content, "requestId") { return .requestID }
        if Self.matches(bytes, content, "responseType") { return .responseType }
        return Self.matches(bytes, content, "request_id") ? .snakeCaseRequestID : nil
    }

    /// The string that comes next; any other value is skipped.
    private static func text(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>) throws(JSONError) -> String? {
        if try scanner.peek(bytes) == UInt8(ascii: "\"") { return try scanner.string(bytes) }
        try scanner.skipValue(bytes, depth: 1)
        return nil
    }

    /// The string or number that comes next; any other value is skipped.
    private static func requestID(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>) throws(JSONError) -> RequestID? {
        let next = try scanner.peek(bytes)
        guard next == UInt8(ascii: "-") || (next >= 0x30 && next <= 0x39) else {
            return try Self.text(&scanner, bytes).flatMap { RequestID(json: .string($0)) }
        }
        return RequestID(json: .number(try scanner.number(bytes)))
    }

    private static func matches(_ bytes: Span<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { expected in
            for index in 0..<expected.count where bytes[range.lowerBound + index] != expected[index] { return false }
            return true
        }
    }
}
