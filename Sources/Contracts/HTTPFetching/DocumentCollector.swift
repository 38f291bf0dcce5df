import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Takes what comes for one request: the head, and the body of an answer with status 200 as far as it may be long.
final class DocumentCollector: HTTPClientResponseDelegate {
    /// There is nothing more to read of the answer.
    private struct Enough: Error {}

    private struct State {
        var head: HTTPResponseHead?
        var body = ByteBuffer()
        var isWhole = false
        var isTooLarge = false
    }

    private let state = Mutex(State())
    private let url: OutboundURL
    private let limit: Int?

    /// Makes a collector for one request.
    /// - Parameters:
    ///   - url: what is asked for.
    ///   - limit: how many bytes a body may have; nil for the head alone.
    init(_ url: OutboundURL, limit: Int?) {
        self.url = url
        self.limit = limit
    }

    /// Whether the body is longer than it may be.
    var isTooLarge: Bool { self.state.withLock { $0.isTooLarge } }

    /// The answer; nil before it is whole.
    var answer: HTTPFetcher.Answer? {
        self.state.withLock { state in
            guard state.isWhole, let head = state.head else { return nil }
            return HTTPFetcher.Answer(
                url: self.url, status: Int(head.status.code), headers: head.headers, body: state.body)
        }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let goesOn = self.state.withLock { state in
            state.head = head
            guard head.status == .ok, let limit = self.limit else {
                // What else a server says is not read.
                state.isWhole = true
                return false
            }
            let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
            state.isTooLarge = length > limit
            return !state.isTooLarge
        }
        return self.next(goesOn, task)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let goesOn = self.state.withLock { state in
            guard part.readableBytes <= (self.limit ?? 0) - state.body.readableBytes else {
                state.isTooLarge = true
                state.body = ByteBuffer()
                return false
            }
            state.body.writeImmutableBuffer(part)
            return true
        }
        return self.next(goesOn, task)
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        self.state.withLock { $0.isWhole = $0.head != nil && !$0.isTooLarge }
    }

    private func next(_ goesOn: Bool, _ task: HTTPClient.Task<Void>) -> EventLoopFuture<Void> {
        goesOn ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(Enough())
    }
}
