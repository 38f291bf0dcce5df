import NIOCore

/// What is published.
struct MQTTPublication: Sendable, Hashable {
    /// Where.
    var topic: String
    /// The payload; empty to clear a retained one.
    var payload: ByteBuffer
    /// Whether the broker keeps it for those who come later.
    var isRetained = false
    /// What `payload` is; nil for what is said by itself, such as `online`.
    var contentType: String?
    /// Whether `payload` is UTF-8, which is said as the payload format indicator.
    var isText = true
    /// After so many seconds the broker forgets it; nil for never.
    var expiry: UInt32?
    /// The correlation data of a request, for its answer.
    var correlation: ByteBuffer?
    /// The user property `id`, by which receivers tell duplicates.
    var id: String?
}

/// What came of a publication.
enum MQTTPublishOutcome: Sendable, Hashable {
    /// The broker has it.
    case acknowledged
    /// The broker does not take it, or it cannot be sent to this broker.
    case refused(String)
    /// The broker takes nothing at present (quota exceeded).
    case full(String)
    /// There is no connection, or it was lost before the broker said that it has it.
    case lost(String)
}

/// What came from the broker.
struct MQTTInbound: Sendable, Hashable {
    /// The most bytes of a payload that is taken.
    static let maximumPayload = 64 << 10
    /// The most bytes of correlation data, and of an id.
    static let maximumCorrelation = 256

    /// Where it was published.
    var topic: String
    /// The payload; nil for one that is longer than is taken.
    var payload: ByteBuffer?
    /// Whether the broker had kept it.
    var isRetained = false
    /// Where an answer is wanted.
    var responseTopic: String?
    /// What the answer has to bear.
    var correlation: ByteBuffer?
    /// The user property `id`.
    var id: String?
}

/// What a broker says in its CONNACK of what it takes.
struct MQTTTerms: Sendable, Hashable {
    /// How many messages may be without an acknowledgement.
    var receiveMaximum = 65535
    /// 0, 1 or 2.
    var maximumQoS = 2
    /// Whether retained messages are taken.
    var retains = true
    /// The most bytes of a packet; nil for no limit.
    var maximumPacketSize: Int?
    /// Whether the broker knew the session.
    var isSessionPresent = false
}
