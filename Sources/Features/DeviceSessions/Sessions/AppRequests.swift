import CastClient
import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// Requests of callers to the app of a session in namespaces other than that of media, which wait for an answer: the message
/// that bears the request's number.
///
/// Lives on the device's event loop.
final class AppRequests {
    typealias Promise = EventLoopPromise<RequestOutcome>

    private struct Question {
        let promise: Promise
        let origin: MessageOrigin?
    }

    private let timer: LoopTimer
    private let eventLoop: any EventLoop
    private var tracker: RequestTracker<Question>

    init(counter: RequestCounter, eventLoop: any EventLoop) {
        self.tracker = RequestTracker(counter: counter)
        self.eventLoop = eventLoop
        self.timer = LoopTimer(on: eventLoop)
    }

    /// Numbers a request that is about to be sent.
    /// - Parameter promise: succeeds with what became of it; nothing is waited for any more when the caller completes it first.
    /// - Returns: the request with its number; nil when too many wait, which the promise says.
    func begin(
        _ json: JSONObject, in namespace: Namespace, at app: EndpointID, timeout: Duration,
        from origin: MessageOrigin? = nil, promise: Promise
    ) -> JSONObject? {
        guard self.tracker.hasRoom else {
            promise.succeed(.failed(RequestError(.sendBufferFull, "too many requests wait for the app")))
            return nil
        }
        let (id, _) = self.tracker.begin(
            Question(promise: promise, origin: origin), in: namespace, at: app, timeout: timeout,
            now: self.eventLoop.now)
        self.setTimer()
        var json = json
        json["requestId"] = id.json
        return json
    }

    /// Stops waiting for the answer to a request whose caller has completed the promise.
    func forget(_ promise: Promise) {
        _ = self.tracker.cancel { $0.promise.futureResult === promise.futureResult }
        self.setTimer()
    }

    /// Finds the caller that waits for a message of the app; nil when none does, or it is not known which.
    func origin(answeredBy message: CastMessage) -> MessageOrigin? {
        guard self.tracker.count > 0, let id = message.summary.requestID else { return nil }
        return self.tracker.ticket(of: id, in: message.namespace, from: message.source)?.origin
    }

    /// Takes a message of the app.
    func receive(_ message: CastMessage) {
        guard self.tracker.count > 0, let json = message.payload.jsonObject,
            let ended = self.tracker.received(json, in: message.namespace, from: message.source)
        else { return }
        // What an app's own answers mean is the caller's affair: none of them is a refusal of the platform's.
        ended.ticket.promise.succeed(.completed(json))
        self.setTimer()
    }

    /// The app, or the device, is gone.
    func failAll(_ error: RequestError) {
        for ended in self.tracker.failAll(error) { ended.ticket.promise.succeed(ended.outcome) }
        self.timer.cancel()
    }

    private func setTimer() {
        guard let deadline = self.tracker.nextDeadline else { return self.timer.cancel() }
        guard self.timer.deadline != deadline else { return }
        self.timer.set(until: deadline) { [weak self] in
            guard let self else { return }
            for ended in self.tracker.expire(at: self.eventLoop.now) { ended.ticket.promise.succeed(ended.outcome) }
            self.setTimer()
        }
    }
}
