import NIOCore

extension CastMessage {
    /// The same message in bytes of its own. As it came, it keeps alive the whole read that it came in; what is kept for longer
    /// than that is kept detached.
    public var detached: CastMessage {
        var message = self
        message.payload = self.payload.detached
        message.unknownFields = self.unknownFields.map { ByteBuffer(bytes: $0.readableBytesView) }
        return message
    }
}

extension CastMessage.Payload {
    /// The same payload in bytes of its own.
    public var detached: CastMessage.Payload {
        switch self {
        case .text(let buffer): .text(ByteBuffer(bytes: buffer.readableBytesView))
        case .binary(let buffer): .binary(ByteBuffer(bytes: buffer.readableBytesView))
        }
    }
}
