import NIOCore

struct WebhookAnswer: Sendable, Hashable {
    /// The end of an answer.
    enum End: Sendable, Hashable {
        case whole
        /// After more than is read of an answer.
        case tooLarge
        /// The time of the attempt ended.
        case late
        /// The connection ended.
        case broken
    }

    var status: Int
    /// The type of the body, as the back end says it.
    var contentType: String?
    /// The header `Retry-After` as it came.
    var retryAfter: String?
    /// The first bytes of the body, as many as were asked for.
    var body = ByteBuffer()
    /// The number of bytes of the body that were read.
    var length = 0
    var end = End.broken

    /// True if the back end took the message.
    var isSuccess: Bool { (200..<300).contains(self.status) }
}

/// The reason an attempt ended without an answer. No text holds more of the URL than its scheme, host and port.
enum WebhookFailure: Error, Hashable, CustomStringConvertible {
    case notFound(String)
    case refusedAddress(String)
    case connection(String)
    case encryption(String)
    /// The connection ended without an answer, or what came was no HTTP.
    case noAnswer(String)
    case late(String)
    case malformed(String)
    case cancelled
    /// The gateway stops, or the webhook is gone from its configuration.
    case ended

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
        var address: String
        /// The reason it may not be connected to; nil when it may.
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
