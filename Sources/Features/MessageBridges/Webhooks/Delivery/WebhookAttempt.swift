import AsyncHTTPClient
import GatewayConfig
import HTTPFetching
import NIOCore

/// One attempt to send a request to a webhook: the look-up, a connection to one address after the other, the request, the answer;
/// all within one time. Its state is its event loop's; what it uses it gives back, and it completes once.
final class WebhookAttempt: Sendable {
    private struct State {
        var trace = WebhookTrace()
        var expiry: Scheduled<Void>?
        var task: HTTPClient.Task<Void>?
        var collector: AnswerCollector?
        var wasClosed = false
        var tries = 0
        var hasEnded = false
    }

    private let client: WebhookClient
    private let request: WebhookRequest
    private let loop: any EventLoop
    private let began: NIODeadline
    private let completion: @Sendable (WebhookTrace) -> Void
    private let state: NIOLoopBoundBox<State>

    init(
        _ request: WebhookRequest, client: WebhookClient, loop: any EventLoop,
        completion: @escaping @Sendable (WebhookTrace) -> Void
    ) {
        self.client = client
        self.request = request
        self.loop = loop
        self.began = .now()
        self.completion = completion
        self.state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: loop)
    }

    func begin() {
        self.onLoop { attempt in
            let now = NIODeadline.now()
            guard now < attempt.request.deadline else { return attempt.end(.failure(attempt.late)) }
            attempt.state.value.expiry = attempt.loop.scheduleTask(deadline: attempt.request.deadline) {
                attempt.stop(attempt.late)
            }
            attempt.connect()
        }
    }

    /// Ends the attempt, from any thread: nothing waits for it any more.
    func cancel() {
        self.onLoop { $0.stop(.cancelled) }
    }

    private func onLoop(_ body: @escaping @Sendable (WebhookAttempt) -> Void) {
        if self.loop.inEventLoop { body(self) } else { self.loop.execute { body(self) } }
    }

    private var late: WebhookFailure { .late("no answer from \(self.client.url.shown) in time") }

    // MARK: Steps

    private func connect() {
        self.state.value.tries += 1
        // Held weakly: an attempt whose time is over does not wait for a look-up.
        self.client.lend(on: self.loop) { [weak self, client] loan in
            if let self {
                self.onLoop { $0.connected(loan) }
            } else if case .success(let loan) = loan {
                client.takeBack(loan)
            }
        }
    }

    private func connected(_ result: Result<WebhookClient.Loan, WebhookFailure>) {
        let loan: WebhookClient.Loan
        switch result {
        case .success(let lent): loan = lent
        case .failure(let failure): return self.end(.failure(failure))
        }
        guard !self.state.value.hasEnded else { return self.client.takeBack(loan) }
        self.state.value.trace.addresses = loan.addresses
        self.state.value.trace.address = loan.pin.address.description
        self.state.value.trace.found = self.state.value.trace.found ?? self.elapsed(to: .now())
        let collector = AnswerCollector(keeps: self.request.keeps)
        let task = loan.connections.execute(
            request: self.client.httpRequest(for: self.request), delegate: collector,
            eventLoop: .delegate(on: self.loop))
        self.state.value.collector = collector
        self.state.value.task = task
        task.futureResult.whenComplete { result in self.onLoop { $0.answered(result, collector, loan) } }
    }

    private func answered(_ result: Result<Void, any Error>, _ collector: AnswerCollector, _ loan: WebhookClient.Loan) {
        defer { self.client.takeBack(loan) }
        guard !self.state.value.hasEnded else { return }
        if let answer = collector.answer { return self.end(.success(answer)) }
        guard case .failure(let error) = result else { return self.end(.failure(.noAnswer("no answer"))) }
        let wasSent = collector.sent != nil
        let place = "\(self.client.url.shown) (\(loan.pin.address))"
        let failure = WebhookFailure(error, wasSent: wasSent, place: place)
        guard self.state.value.tries < HostResolver.mostAddresses, failure != .ended else {
            return self.end(.failure(failure))
        }
        if !wasSent {
            // Whether or not there is another address, this one is not used again before the next look-up.
            guard !self.client.couldNotConnect(loan) else { return self.connect() }
        } else if WebhookFailure.isClosed(error), !self.state.value.wasClosed {
            self.state.value.wasClosed = true
            return self.connect()
        }
        self.end(.failure(failure))
    }

    private func stop(_ failure: WebhookFailure) {
        guard !self.state.value.hasEnded else { return }
        let task = self.state.value.task
        defer { task?.cancel() }
        guard case .late = failure, var answer = self.state.value.collector?.answer else {
            return self.end(.failure(failure))
        }
        // A status is an answer, whatever becomes of the body.
        answer.end = .late
        self.end(.success(answer))
    }

    private func end(_ result: Result<WebhookAnswer, WebhookFailure>) {
        guard !self.state.value.hasEnded else { return }
        self.state.value.hasEnded = true
        self.state.value.expiry?.cancel()
        var trace = self.state.value.trace
        trace.sent = self.state.value.collector?.sent.map(self.elapsed)
        trace.answered = self.state.value.collector?.answered.map(self.elapsed)
        trace.ended = self.elapsed(to: .now())
        if trace.addresses.isEmpty { trace.addresses = self.client.addresses }
        trace.result = result
        self.state.value.task = nil
        self.state.value.collector = nil
        self.completion(trace)
    }

    private func elapsed(to moment: NIODeadline) -> Duration { .nanoseconds((moment - self.began).nanoseconds) }
}

/// The request of one attempt.
struct WebhookRequest: Sendable {
    /// The value of `webhook-id`.
    var id: String
    /// The body, JSON.
    var body: ByteBuffer
    var deadline: NIODeadline
    /// The number of bytes of the answer that are kept.
    var keeps = 0
    /// The URL at the webhook's host; nil for the webhook's own.
    var url: OutboundURL?
}
