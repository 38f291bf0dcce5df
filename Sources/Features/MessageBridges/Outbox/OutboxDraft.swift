import FoundationEssentials
package import NIOCore

/// A message that is to be taken into the outbox.
package struct OutboxDraft: Sendable {
    /// The name of the destination, such as `webhook:backend` or `mqtt`.
    package var destination: String
    /// The device that it is about, by whose name order is kept; nil for one about none.
    package var device: String?
    /// The type of the event, such as `channel.message`.
    package var type: String
    /// The time when it happened, in milliseconds since 1970.
    package var takenAt: Int64
    /// The address within the destination, such as an MQTT topic; nil where the destination knows.
    package var address: String?
    /// The time when it is of no use any more, in milliseconds since 1970; nil for one that its destination's age alone
    /// ends.
    package var expires: Int64?
    /// About how many bytes are to be delivered, for bounds.
    package var size: Int
    /// Makes the bytes to be delivered; called on the outbox's thread, so that event loops need not encode anything.
    package var body: @Sendable () -> ByteBuffer

    package init(
        to destination: String, device: String?, type: String, takenAt: Int64, address: String? = nil,
        expires: Int64? = nil,
        size: Int, body: @escaping @Sendable () -> ByteBuffer
    ) {
        self.destination = destination
        self.device = device
        self.type = type
        self.takenAt = takenAt
        self.address = address
        self.expires = expires
        self.size = size
        self.body = body
    }

    /// The cost of keeping it, in bytes.
    var cost: Int { self.size + (self.address?.utf8.count ?? 0) + OutboxMessage.overhead }
}

extension OutboxMessage {
    /// The message that a draft becomes.
    init(_ draft: OutboxDraft, _ body: ByteBuffer, sequence: Int64, id: String) {
        self.init(
            sequence: sequence, id: id, destination: draft.destination, device: draft.device, type: draft.type,
            takenAt: draft.takenAt, address: draft.address, body: body, expires: draft.expires)
    }
}

extension ByteBuffer {
    /// The bytes as the database takes them.
    var data: Data { Data(self.readableBytesView) }
}
