public import NIOCore

extension JSONReader {
    /// Reads the JSON of a file, or of a body that another program wrote. A byte order mark before it, which programs of Windows
    /// write, is passed over (RFC 8259, 8.1); in a message of a sender or a device it is a fault.
    /// - Parameter maximumValues: how many values there may be in all; more only for a text whose length is bounded elsewhere.
    /// - Throws: ``JSONError`` with the byte at which the text stops being JSON, or has too many values.
    public static func read(
        document: ByteBuffer, maximumValues: Int = JSONReader.maximumValues
    ) throws(JSONError) -> JSONValue {
        try Self.read(document.withoutByteOrderMark, maximumValues: maximumValues)
    }

    /// Reads the same of a text.
    /// - Throws: ``JSONError`` with the byte at which the text stops being JSON.
    public static func read(document: String) throws(JSONError) -> JSONValue {
        try Self.read(document: ByteBuffer(string: document))
    }
}

extension ByteBuffer {
    /// The same bytes without a byte order mark of UTF-8 at the start.
    public var withoutByteOrderMark: ByteBuffer {
        guard self.readableBytesView.starts(with: [0xEF, 0xBB, 0xBF]) else { return self }
        return self.getSlice(at: self.readerIndex + 3, length: self.readableBytes - 3) ?? self
    }
}
