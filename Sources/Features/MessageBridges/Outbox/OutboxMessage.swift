package import NIOCore

/// A message in the outbox: what is to arrive at one destination.
package struct OutboxMessage: Sendable, Hashable {
    /// Its place in the outbox; messages of one device and destination arrive in this order.
    package var sequence: Int64
    /// The same through all attempts and restarts, so that receivers can tell duplicates: `msg_` and 26 characters of Crockford's
    /// base 32, without a point.
    package var id: String
    /// The name of the destination, such as `webhook:backend` or `mqtt`.
    package var destination: String
    /// The device that it is about, by whose name order is kept; nil for one about none.
    package var device: String?
    /// The type of the event, such as `channel.message`.
    package var type: String
    /// The time when it was taken, in milliseconds since 1970.
    package var takenAt: Int64
    /// The address within the destination, such as an MQTT topic; nil where the destination knows.
    package var address: String?
    /// The bytes to be delivered: the JSON object of the event or a payload as it came.
    package var body: ByteBuffer
    /// The number of earlier attempts.
    package var attempts: Int
    /// The time when it is of no use any more, in milliseconds since 1970; nil for one that its destination's age alone
    /// ends.
    package var expires: Int64?

    package init(
        sequence: Int64, id: String, destination: String, device: String? = nil, type: String, takenAt: Int64,
        address: String? = nil, body: ByteBuffer, attempts: Int = 0, expires: Int64? = nil
    ) {
        self.sequence = sequence
        self.id = id
        self.destination = destination
        self.device = device
        self.type = type
        self.takenAt = takenAt
        self.address = address
        self.body = body
        self.attempts = attempts
        self.expires = expires
    }

    /// The cost of keeping it, in bytes.
    var cost: Int { self.body.readableBytes + (self.address?.utf8.count ?? 0) + Self.overhead }

    /// The cost of a message beside its body.
    static let overhead = 256
}
