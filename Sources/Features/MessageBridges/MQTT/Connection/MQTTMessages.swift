import NIOCore

/// A message to publish.
struct MQTTPublication: Sendable, Hashable {
    var topic: String
    /// The payload; empty to clear a retained one.
    var payload: ByteBuffer
    /// Asks the broker to keep it for later subscribers.
    var isRetained = false
    /// The content type of `payload`; nil for texts such as `online`.
    var contentType: String?
    /// True if `payload` is UTF-8, which is said as the payload format indicator.
    var isText = true
    /// After so many seconds the broker forgets it; nil for never.
    var expiry: UInt32?
    /// The correlation data of a request, for its answer.
    var correlation: ByteBuffer?
    /// The user property `id`, by which receivers tell duplicates.
    var id: String?
}

/// The outcome of a publication.
enum MQTTPublishOutcome: Sendable, Hashable {
    case acknowledged
    /// The broker does not take it, or it cannot be sent to this broker.
    case refused(String)
    /// The broker takes nothing at present (quota exceeded).
    case full(String)
    /// There is no connection, or it was lost before the broker said that it has it.
    case lost(String)
}

/// A message from the broker.
struct MQTTInbound: Sendable, Hashable {
    /// The most bytes of a payload that is taken.
    static let maximumPayload = 64 << 10
    /// The most bytes of correlation data, and of an id.
    static let maximumCorrelation = 256

    var topic: String
    /// The payload; nil for one that is longer than is taken.
    var payload: ByteBuffer?
    /// True if the broker had kept it.
    var isRetained = false
    /// The topic for the answer.
    var responseTopic: String?
    /// The correlation data for the answer.
    var correlation: ByteBuffer?
    /// The user property `id`.
    var id: String?
}

/// The limits and abilities in a broker's CONNACK.
struct MQTTTerms: Sendable, Hashable {
    /// The number of messages that may be without an acknowledgement.
    var receiveMaximum = 65535
    /// 0, 1 or 2.
    var maximumQoS = 2
    /// Supports retained messages.
    var retains = true
    /// The most bytes of a packet; nil for no limit.
    var maximumPacketSize: Int?
    /// True if the broker knew the session.
    var isSessionPresent = false
}
