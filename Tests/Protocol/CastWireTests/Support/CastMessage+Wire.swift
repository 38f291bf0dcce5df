import CastWire
import NIOCore

extension CastMessage {
    /// The body, without a frame's length.
    var wire: [UInt8] {
        var buffer = ByteBuffer()
        self.serialize(into: &buffer)
        return Array(buffer.readableBytesView)
    }

    init(wire: [UInt8]) throws {
        try self.init(parsing: ByteBuffer(bytes: wire))
    }

    /// A message with every known field and text of several bytes a character.
    static let sample = CastMessage(
        source: "sender-0", destination: "receiver-0", namespace: .media,
        json: ["type": "SEEK", "requestId": 7, "note": "größer €"])

    /// A message with a binary payload and fields that Castway does not know, of every wire type.
    static let sampleWithUnknownFields: CastMessage = {
        var message = CastMessage(
            source: "client-1", destination: "*", namespace: .deviceAuth,
            payload: .binary(ByteBuffer(bytes: [0x0A, 0x00, 0xFF])))
        message.unknownFields = ByteBuffer(
            hex: "4001 48ac02 51 0102030405060708 6a03 616263 7d 01020304 8301 8b01 1001 8c01 8401")
        return message
    }()
}
