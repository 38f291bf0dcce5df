import NIOCore

/// Walks the fields of one protobuf message, bounds-checked, without copying.
///
/// Groups are skipped without recursion, so nesting costs no stack.
struct ProtobufReader {
    enum Value {
        case varint(UInt64)
        /// Readable offsets of a length-delimited field's content.
        case bytes(Range<Int>)
        /// A field that no message of Castway's uses: fixed width, or a group.
        case other
    }

    struct Field {
        let number: Int
        let value: Value
        /// Tag and content.
        let whole: Range<Int>
    }

    /// Nesting of groups beyond this is malformed.
    private static let maximumGroupDepth = 64

    private let buffer: ByteBuffer
    private var offset = 0

    init(_ buffer: ByteBuffer) {
        self.buffer = buffer
    }

    /// The next field, or nil at the end.
    mutating func next() throws(WireError) -> Field? {
        guard self.offset < self.buffer.readableBytes else { return nil }
        let start = self.offset
        let (number, wireType) = try self.tag()
        let value = try self.value(number: number, wireType: wireType)
        return Field(number: number, value: value, whole: start..<self.offset)
    }

    private mutating func tag() throws(WireError) -> (number: Int, wireType: UInt8) {
        let tag = try self.varint(of: 0)
        guard tag >> 3 >= 1, tag >> 3 <= 536_870_911 else { throw .malformedField(number: 0) }
        return (Int(tag >> 3), UInt8(tag & 7))
    }

    private mutating func value(number: Int, wireType: UInt8) throws(WireError) -> Value {
        switch wireType {
        case 0: return .varint(try self.varint(of: number))
        case 1: try self.skip(8)
        case 2:
            let length = try self.varint(of: number)
            guard length <= UInt64(self.buffer.readableBytes - self.offset) else { throw .truncatedMessage }
            let start = self.offset
            self.offset += Int(length)
            return .bytes(start..<self.offset)
        case 3: try self.skipGroup(number)
        case 5: try self.skip(4)
        default: throw .malformedField(number: number)
        }
        return .other
    }

    private mutating func skipGroup(_ number: Int) throws(WireError) {
        var open = [number]
        while let innermost = open.last {
            guard self.offset < self.buffer.readableBytes else { throw .truncatedMessage }
            let (inner, wireType) = try self.tag()
            switch wireType {
            case 3:
                guard open.count < Self.maximumGroupDepth else { throw .malformedField(number: number) }
                open.append(inner)
            case 4:
                guard inner == innermost else { throw .malformedField(number: inner) }
                open.removeLast()
            default: _ = try self.value(number: inner, wireType: wireType)
            }
        }
    }

    private mutating func skip(_ count: Int) throws(WireError) {
        guard self.buffer.readableBytes - self.offset >= count else { throw .truncatedMessage }
        self.offset += count
    }

    private mutating func varint(of field: Int) throws(WireError) -> UInt64 {
        var offset = self.offset
        defer { self.offset = offset }
        let bytes = self.buffer.readableBytesUInt8Span
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            guard shift < 63 || byte <= 1 else { throw .malformedField(number: field) }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .truncatedMessage
    }
}

extension ProtobufReader {
    /// The bytes of a field, sharing the message's storage.
    func slice(_ range: Range<Int>) -> ByteBuffer {
        self.buffer.getSlice(at: self.buffer.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
    }

    /// The bytes of a field, copied.
    func array(_ range: Range<Int>) -> [UInt8] {
        self.buffer.getBytes(at: self.buffer.readerIndex + range.lowerBound, length: range.count) ?? []
    }

    /// The bytes of a text field, which must be UTF-8.
    func text(_ range: Range<Int>, field: Int) throws(WireError) -> ByteBuffer {
        guard (try? UTF8Span(validating: self.buffer.readableBytesUInt8Span.extracting(range))) != nil else {
            throw .invalidText(number: field)
        }
        return self.slice(range)
    }

    /// A required text field that names something, so it may not be empty.
    func name(_ range: Range<Int>?, field: Int) throws(WireError) -> String {
        guard let range else { throw .missingField(number: field) }
        guard !range.isEmpty else { throw .emptyField(number: field) }
        guard let text = try? UTF8Span(validating: self.buffer.readableBytesUInt8Span.extracting(range)) else {
            throw .invalidText(number: field)
        }
        return String(copying: text)
    }

    /// Keeps a field as it stands on the wire.
    func copy(_ field: Field, to kept: inout ByteBuffer?) {
        if kept == nil { kept = ByteBuffer() }
        kept?.writeImmutableBuffer(self.slice(field.whole))
    }
}
