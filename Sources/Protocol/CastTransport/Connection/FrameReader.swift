package import CastWire
package import NIOCore

/// Bytes to messages: what one read of the socket brought, cut anywhere, goes in, and whole messages come out.
///
/// How it works: a frame is four bytes of length and a body of at most 64 KiB. The buffer of a read is kept as it is, and the
/// payloads of its messages are slices of it, so nothing is copied. Only when a frame is cut by the end of a read are the
/// bytes of the next read appended. So between two reads at most one incomplete frame is held, and a quiet channel holds no
/// storage. The length is judged before its bytes are awaited, so a peer cannot make the buffer grow.
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

/// Bytes to messages. Judges a frame's length from its header, before a single byte of it is awaited.
package struct CastFrameDecoder: NIOSingleStepByteToMessageDecoder {
    /// What comes out.
    package typealias InboundOut = CastMessage

    private var names = RecentNames()

    /// Starts at the beginning of a frame.
    package init() {}

    /// Takes one frame off the buffer; nil while it is incomplete.
    /// - Throws: ``WireError``; the connection cannot go on then, since the place of the next frame is unknown or the
    ///   peer does not speak the protocol.
    package mutating func decode(buffer: inout ByteBuffer) throws -> CastMessage? {
        try self.decode(frame: &buffer)
    }

    /// A frame that was cut by the end of the stream is given up silently.
    package mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> CastMessage? {
        try self.decode(buffer: &buffer)
    }

    mutating func decode(frame buffer: inout ByteBuffer) throws(WireError) -> CastMessage? {
        guard let declared = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        guard declared <= CastMessage.maximumBodyLength else {
            throw WireError.frameTooLarge(declared: Int(declared), limit: CastMessage.maximumBodyLength)
        }
        guard let body = buffer.getSlice(at: buffer.readerIndex + 4, length: Int(declared)) else { return nil }
        buffer.moveReaderIndex(forwardBy: 4 + Int(declared))
        return try CastMessage(parsing: body, recalling: &self.names)
    }
}
