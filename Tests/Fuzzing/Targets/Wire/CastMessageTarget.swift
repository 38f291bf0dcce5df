import CastWire
import NIOCore

/// What was read is written so that it reads the same, with the fields that the codec does not know.
package enum CastMessageTarget: FuzzTarget {
    /// `cast-message`
    package static let name = "cast-message"

    /// Reads a message, writes it, reads it again.
    package static func run(_ input: [UInt8]) throws {
        guard let message = try? CastMessage(parsing: ByteBuffer(bytes: input)) else { return }
        var written = ByteBuffer()
        message.serialize(into: &written)
        try Violation.unless(
            written.readableBytes == message.serializedLength,
            "wrote \(written.readableBytes) bytes, announced \(message.serializedLength)")
        let again = try CastMessage(parsing: written)
        try Violation.unless(message == again, "read \(message), wrote and read \(again)")
        try Violation.unless(!message.source.rawValue.isEmpty, "a source without a name")
        guard let unknown = WireFields.unknown(in: input) else { return }
        let kept = Array(buffer: message.unknownFields ?? ByteBuffer())
        try Violation.unless(kept == unknown, "of the unknown fields \(unknown) were kept \(kept)")
    }
}
