import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Takes what comes for one request, and no more of it than is wanted.
final class AnswerCollector: HTTPClientResponseDelegate {
    /// The answer is larger than what is read.
    struct TooLarge: Error {}

    /// The number of bytes of an answer that are read before the connection is closed.
    static let longestBody = 64 << 10

    private struct State {
        var sent: NIODeadline?
        var answered: NIODeadline?
        var answer: WebhookAnswer?
    }

    private let state = Mutex(State())
    private let keeps: Int

    /// Makes a collector for one request.
    /// - Parameter keeps: how many bytes of the body are kept.
    init(keeps: Int) {
        self.keeps = keeps
    }

    /// The time when the request was on its way; nil when no connection was there.
    var sent: NIODeadline? { self.state.withLock { $0.sent } }

    var answered: NIODeadline? { self.state.withLock { $0.answered } }

    /// The answer so far; nil without a status.
    var answer: WebhookAnswer? { self.state.withLock { $0.answer } }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        self.state.withLock { $0.sent = .now() }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        self.state.withLock {
            $0.answered = .now()
            $0.answer = WebhookAnswer(
                status: Int(head.status.code), contentType: head.headers.first(name: "content-type"),
                retryAfter: head.headers.first(name: "retry-after"))
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let isTooLarge = self.state.withLock { state in
            guard var answer = state.answer else { return true }
            // So that the buffer is not shared when it is written to.
            state.answer = nil
            answer.length += part.readableBytes
            if let kept = part.getSlice(
                at: part.readerIndex, length: min(part.readableBytes, self.keeps - answer.body.readableBytes))
            {
                answer.body.writeImmutableBuffer(kept)
            }
            let isTooLarge = answer.length > Self.longestBody
            if isTooLarge { answer.end = .tooLarge }
            state.answer = answer
            return isTooLarge
        }
        return isTooLarge
            ? task.eventLoop.makeFailedFuture(TooLarge()) : task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        self.state.withLock { $0.answer?.end = .whole }
    }
}
