public import NIOCore

/// A message in the outbox: what is to arrive at one destination.
public struct OutboxMessage: Sendable, Hashable {
    /// Its place in the outbox; messages of one device and destination arrive in this order.
    public var sequence: Int64
    /// The same through all attempts and restarts, so that receivers can tell duplicates: `msg_` and 26 characters of Crockford's
    /// base 32, without a point.
    public var id: String
    /// The name of the destination, such as `webhook:backend` or `mqtt`.
    public var destination: String
    /// The device that it is about, by whose name order is kept; nil for one about none.
    public var device: String?
    /// The type of the event, such as `channel.message`.
    public var type: String
    /// When it was taken, in milliseconds since 1970.
    public var takenAt: Int64
    /// Where it goes within the destination, such as an MQTT topic; nil where the destination knows.
    public var address: String?
    /// The bytes to be delivered: the JSON object of the event or a payload as it came.
    public var body: ByteBuffer
    /// How often it was tried before.
    public var attempts: Int
    /// When it is of no use any more, in milliseconds since 1970; nil for one that its destination's age alone ends.
    public var expires: Int64?

    /// Collects the parts.
    public init(
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

    /// What it costs to keep, in bytes.
    var cost: Int { self.body.readableBytes + (self.address?.utf8.count ?? 0) + Self.overhead }

    /// What a message costs beside its body.
    static let overhead = 256
}
