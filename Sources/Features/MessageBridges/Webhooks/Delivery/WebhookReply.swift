import CastWire
import NIOCore

/// The reply of a back end to a question.
struct WebhookReply: Sendable, Hashable {
    /// The bytes as they came, at most 64 KiB, without a byte order mark; none when the back end has nothing to reply (204, or an
    /// empty body).
    var body: ByteBuffer
    /// The type of the body, as the back end says it.
    var contentType: String?

    /// Judges the result of a question.
    static func result(of result: Result<WebhookAnswer, WebhookFailure>) -> Result<WebhookReply, WebhookReplyFailure> {
        switch result {
        case .success(let answer) where !answer.isSuccess: .failure(.refused(status: answer.status))
        case .success(let answer):
            switch answer.end {
            case .whole: .success(WebhookReply(body: answer.body.withoutByteOrderMark, contentType: answer.contentType))
            case .tooLarge: .failure(.tooBig)
            case .late: .failure(.late)
            case .broken: .failure(.unavailable("the answer broke off"))
            }
        case .failure(.late): .failure(.late)
        case .failure(.cancelled): .failure(.cancelled)
        case .failure(let failure): .failure(.unavailable("\(failure)"))
        }
    }
}

/// The reason there is no reply to a question.
enum WebhookReplyFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The deadline is over; what had come of the answer by then is dropped.
    case late
    /// The back end answered with a status other than 2xx.
    case refused(status: Int)
    /// The back end is out of reach, too many questions are under way, or the webhook has ended.
    case unavailable(String)
    /// The answer has more than 64 KiB.
    case tooBig
    case cancelled

    var description: String {
        switch self {
        case .late: "no answer by the deadline"
        case .refused(let status): "the back end answered \(status)"
        case .unavailable(let reason): reason
        case .tooBig: "the answer has more than \(AnswerCollector.longestBody >> 10) KiB"
        case .cancelled: "the question was taken back"
        }
    }
}
