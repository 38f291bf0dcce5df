import HTTPFetching
import NIOCore
import Synchronization

/// Carries messages of the outbox to one webhook, and puts questions to it whose answers are replies.
final class WebhookCarrier: MessageCarrier {
    /// The number of questions that may be under way at once.
    static let mostQuestions = 256

    private struct State {
        var resume: (@Sendable () -> Void)?
        var isUnavailable = false
        var questions = 0
    }

    let client: WebhookClient
    private let state = Mutex(State())

    /// Makes a carrier for one webhook of the configuration.
    /// - Parameter version: of the gateway, for `user-agent`.
    /// - Throws: what is wrong with the URL, the secret, or `ca_file`.
    init(
        _ webhook: WebhookConfiguration, version: String, group: any EventLoopGroup,
        surroundings: WebhookClient.Surroundings = WebhookClient.Surroundings()
    ) throws {
        self.client = try WebhookClient(
            webhook, version: version, group: group, questions: Self.mostQuestions, surroundings: surroundings)
    }

    func begin(_ resume: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.resume = resume }
    }

    func carry(_ message: OutboxMessage, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        var request = WebhookRequest(
            id: message.id, body: message.body, deadline: .now() + self.client.timeout)
        if !self.client.place.isFixed {
            guard let url = self.client.place.url(for: AddressTemplate.Values(message)) else {
                return completion(.refused("the URL of the message would be too long"))
            }
            request.url = url
        }
        self.client.send(request) { trace in
            let outcome = self.outcome(of: trace.result)
            self.note(outcome, isDelivery: true)
            completion(outcome)
        }
    }

    /// Ends everything under way, and what comes later, as unavailable.
    func close() {
        self.client.close()
    }

    // MARK: Questions

    /// Puts a question whose answer is a reply: the same request as for a message, once, and never kept.
    /// - Parameters:
    ///   - id: the value of `webhook-id`; has no point.
    ///   - deadline: when the reply is of no use any more.
    ///   - values: what placeholders of the URL stand for.
    ///   - completion: called once, on a thread of the group.
    /// - Returns: what ends the question early; nil when it is over already.
    @discardableResult
    func ask(
        id: String, body: ByteBuffer, deadline: NIODeadline, values: AddressTemplate.Values = .init(),
        completion: @escaping @Sendable (Result<WebhookReply, WebhookReplyFailure>) -> Void
    ) -> WebhookAttempt? {
        let hasRoom = self.state.withLock { state in
            guard state.questions < Self.mostQuestions else { return false }
            state.questions += 1
            return true
        }
        guard hasRoom else {
            completion(.failure(.unavailable("\(Self.mostQuestions) questions are under way already")))
            return nil
        }
        var request = WebhookRequest(id: id, body: body, deadline: deadline, keeps: AnswerCollector.longestBody)
        if !self.client.place.isFixed { request.url = self.client.place.url(for: values) }
        return self.client.send(request, isHere: true) { trace in
            self.state.withLock { $0.questions -= 1 }
            self.note(self.outcome(of: trace.result), isDelivery: false)
            completion(WebhookReply.result(of: trace.result))
        }
    }

    /// Puts a question; see ``ask(id:body:deadline:completion:)``. A task that is cancelled ends it.
    func ask(id: String, body: ByteBuffer, deadline: NIODeadline) async throws(WebhookReplyFailure) -> WebhookReply {
        let held = Mutex<(attempt: WebhookAttempt?, isCancelled: Bool)>((nil, false))
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let attempt = self.ask(id: id, body: body, deadline: deadline) { continuation.resume(returning: $0) }
                let isCancelled = held.withLock { held in
                    held.attempt = attempt
                    return held.isCancelled
                }
                if isCancelled { attempt?.cancel() }
            }
        } onCancel: {
            let attempt = held.withLock { held in
                held.isCancelled = true
                return held.attempt
            }
            attempt?.cancel()
        }
        return try result.get()
    }

    // MARK: Outcomes

    /// True if something waits for the back end, and a question has found it there.
    private func note(_ outcome: DeliveryOutcome, isDelivery: Bool) {
        let resume = self.state.withLock { state -> (@Sendable () -> Void)? in
            if case .unavailable = outcome {
                if isDelivery { state.isUnavailable = true }
                return nil
            }
            defer { state.isUnavailable = false }
            return state.isUnavailable && !isDelivery ? state.resume : nil
        }
        resume?()
    }

    /// Judges a result for a message. A status decides; without one the back end is out of reach.
    private func outcome(of result: Result<WebhookAnswer, WebhookFailure>) -> DeliveryOutcome {
        switch result {
        case .failure(.malformed(let text)): return .refused(text)
        case .failure(let failure): return .unavailable("\(failure)")
        case .success(let answer):
            switch answer.status {
            case 200..<300: return .delivered
            case 410: return .gone("\(self.client.url.shown) answered 410 and wants nothing any more")
            case 429, 502, 503, 504:
                let pause = answer.retryAfter.flatMap {
                    RetryAfter.duration($0, now: self.client.surroundings.seconds())
                }
                return .unavailable("\(self.client.url.shown) answered \(answer.status)", retryAfter: pause)
            case 300..<400:
                return .refused("\(self.client.url.shown) answered \(answer.status), and redirects are not followed")
            default: return .refused("\(self.client.url.shown) answered \(answer.status)")
            }
        }
    }
}
