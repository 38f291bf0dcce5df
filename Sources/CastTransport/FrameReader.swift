import CastWire
import NIOCore

/// Reads to messages: what one read brought, cut anywhere, goes in, and whole messages come out.
///
/// Holds less than one frame between two reads.
struct FrameReader {
    private var bytes = ByteBuffer()
    private var decoder = CastFrameDecoder()

    /// Takes what one read brought.
    mutating func append(_ read: ByteBuffer) {
        guard self.bytes.readableBytes > 0 else {
            self.bytes = read
            return
        }
        self.bytes.discardReadBytes()
        self.bytes.writeImmutableBuffer(read)
    }

    /// The next message; nil while it is incomplete.
    /// - Throws: ``WireError``; the connection cannot go on then.
    mutating func next() throws(WireError) -> CastMessage? {
        if let message = try self.decoder.decode(frame: &self.bytes) { return message }
        // A quiet channel keeps no storage.
        if self.bytes.readableBytes == 0 { self.bytes = ByteBuffer() }
        return nil
    }
}
