import NIOCore

/// Writes protobuf fields. Field numbers are below 16, so a tag is one byte.
enum ProtobufWriter {
    /// The size of a length-delimited field: tag, length, content.
    static func length(ofBytes count: Int) -> Int {
        1 + Self.varintLength(UInt64(count)) + count
    }

    static func write(_ text: String, field: Int, to buffer: inout ByteBuffer) {
        Self.writeTag(field, wireType: 2, to: &buffer)
        Self.writeVarint(UInt64(text.utf8.count), to: &buffer)
        buffer.writeString(text)
    }

    static func write(_ bytes: ByteBuffer, field: Int, to buffer: inout ByteBuffer) {
        Self.writeTag(field, wireType: 2, to: &buffer)
        Self.writeVarint(UInt64(bytes.readableBytes), to: &buffer)
        buffer.writeImmutableBuffer(bytes)
    }

    static func write(_ bytes: [UInt8], field: Int, to buffer: inout ByteBuffer) {
        Self.writeTag(field, wireType: 2, to: &buffer)
        Self.writeVarint(UInt64(bytes.count), to: &buffer)
        buffer.writeBytes(bytes)
    }

    static func write(_ value: UInt64, field: Int, to buffer: inout ByteBuffer) {
        Self.writeTag(field, wireType: 0, to: &buffer)
        Self.writeVarint(value, to: &buffer)
    }

    private static func writeTag(_ field: Int, wireType: UInt8, to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt8(truncatingIfNeeded: field) << 3 | wireType)
    }

    private static func writeVarint(_ value: UInt64, to buffer: inout ByteBuffer) {
        var rest = value
        while rest >= 0x80 {
            buffer.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.writeInteger(UInt8(rest))
    }

    private static func varintLength(_ value: UInt64) -> Int {
        max(1, (70 - value.leadingZeroBitCount) / 7)
    }
}
