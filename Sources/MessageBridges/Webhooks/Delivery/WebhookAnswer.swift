import NIOCore

/// What the back end answered.
struct WebhookAnswer: Sendable, Hashable {
    /// How an answer ended.
    enum End: Sendable, Hashable {
        /// As it has to.
        case whole
        /// After more than is read of an answer.
        case tooLarge
        /// With the time of the attempt.
        case late
        /// With its connection.
        case broken
    }

    /// The status of HTTP.
    var status: Int
    /// The type of the body, as the back end says it.
    var contentType: String?
    /// The header `Retry-After` as it came.
    var retryAfter: String?
    /// The first bytes of the body, as many as were asked for.
    var body = ByteBuffer()
    /// How many bytes of the body were read.
    var length = 0
    /// How the answer ended.
    var end = End.broken

    /// Whether the back end took the message.
    var isSuccess: Bool { (200..<300).contains(self.status) }
}

/// Why an attempt ended without an answer. No text holds more of the URL than its scheme, host and port.
enum WebhookFailure: Error, Hashable, CustomStringConvertible {
    /// The name has no address.
    case notFound(String)
    /// No address of the name may be connected to.
    case refusedAddress(String)
    /// No connection could be made.
    case connection(String)
    /// TLS could not be set up.
    case encryption(String)
    /// The connection ended without an answer, or what came was no HTTP.
    case noAnswer(String)
    /// The time is over.
    case late(String)
    /// The request cannot be sent by HTTP.
    case malformed(String)
    /// The caller does not wait any more.
    case cancelled
    /// The gateway stops, or the webhook is gone from its configuration.
    case ended

    /// One line for a log.
    var description: String {
        switch self {
        case .notFound(let text), .refusedAddress(let text), .connection(let text), .encryption(let text),
            .noAnswer(let text), .late(let text), .malformed(let text):
            text
        case .cancelled: "the caller does not wait any more"
        case .ended: "the webhook has ended"
        }
    }
}

/// All that is known of one attempt.
struct WebhookTrace: Sendable {
    /// An address that the name resolved to, and why it is not used; nil when it is.
    struct Address: Sendable, Hashable {
        /// The address as text.
        var address: String
        /// Why it may not be connected to; nil when it may.
        var refusal: String?
    }

    /// The addresses of the last look-up.
    var addresses: [Address] = []
    /// The address that was connected to last.
    var address: String?
    /// The time until an address was known.
    var found: Duration?
    /// The time until a connection was there, TLS included, and the request was on its way.
    var sent: Duration?
    /// The time until the status came.
    var answered: Duration?
    /// The time until the end.
    var ended = Duration.zero
    /// The answer, or why there is none.
    var result: Result<WebhookAnswer, WebhookFailure> = .failure(.ended)
}
