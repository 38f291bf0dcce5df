import CastClient
import CastWire
import GatewayCore
import NIOCore

/// What Castway itself asks the device's platform, as `sender-0`.
extension DeviceSession {
    private static let answerTimeout = Duration.seconds(10)
    private static let launchTimeout = Duration.seconds(30)

    /// Says something to an end on the device.
    @discardableResult
    func say(_ payload: CastMessage.Payload, in namespace: Namespace, to end: EndpointID) -> Bool {
        self.write(CastMessage(source: .platformSender, destination: end, namespace: namespace, payload: payload))
    }

    /// Asks the platform for a session.
    func ask(_ request: SessionRequest, app: AppID?, options: LaunchOptions) {
        let isLaunch = request == .launch
        let (id, _) = self.tracker.begin(
            .session(request), in: .receiver, at: .platformReceiver,
            timeout: isLaunch ? Self.launchTimeout : Self.answerTimeout, now: self.eventLoop.now)
        switch request {
        case .status: self.say(ReceiverRequest.getStatus(requestID: id).payload, in: .receiver, to: .platformReceiver)
        case .launch:
            guard let app else { break }
            self.say(options.request(for: app, requestID: id).payload, in: .receiver, to: .platformReceiver)
        case .stop(let sessionID):
            let stop = ReceiverRequest.stop(sessionID: sessionID, requestID: id)
            self.say(stop.payload, in: .receiver, to: .platformReceiver)
        }
        self.watchRequests()
    }

    /// Nobody waits for the answers to a session's requests any more.
    func cancelSessionRequests() {
        _ = self.tracker.cancel { if case .session = $0 { true } else { false } }
    }

    /// Asks the platform something, for somebody who waits.
    /// - Parameters:
    ///   - json: the request without its number.
    ///   - kind: requests of this kind that wait are replaced.
    func call(
        _ json: JSONObject, in namespace: Namespace, kind: RequestTracker<PlatformTicket>.Kind? = nil
    ) -> EventLoopFuture<RequestOutcome> {
        let promise = self.eventLoop.makePromise(of: RequestOutcome.self)
        guard self.isOnline, self.tracker.hasRoom else {
            let failure =
                self.isOnline
                ? RequestError(.sendBufferFull, "too many requests wait for the device")
                : RequestError(.deviceNotConnected, "the device is out of reach")
            promise.succeed(.failed(failure))
            return promise.futureResult
        }
        let (id, replaced) = self.tracker.begin(
            .call(promise), in: namespace, at: .platformReceiver, kind: kind, timeout: Self.answerTimeout,
            now: self.eventLoop.now)
        var json = json
        json["requestId"] = id.json
        self.say(.json(json), in: namespace, to: .platformReceiver)
        self.finish(replaced)
        self.watchRequests()
        self.flush()
        return promise.futureResult
    }

    /// Takes what the platform says to Castway.
    func receivedAnswer(_ message: CastMessage) {
        guard let json = message.payload.jsonObject else { return }
        if message.family == .receiver, let status = LaunchStatus(json: json).state,
            json.string("type") == LaunchStatus.type
        {
            return self.receivedConsent(status, LaunchStatus(json: json).launchRequestID)
        }
        guard let ended = self.tracker.received(json, in: message.namespace, from: message.source) else { return }
        self.finish([ended])
        self.watchRequests()
    }

    private func receivedConsent(_ state: LaunchStatus.State, _ id: RequestID?) {
        let until = self.eventLoop.now + SessionStateMachine.consentTimeout
        guard let id, self.tracker.extend(id, to: until) else { return }
        self.watchRequests()
        self.cast?.consent(state)
    }

    /// The channel is gone, and with it every answer. The session hears of the loss itself: it may outlive it.
    func failRequests() {
        self.requestTimer.cancel()
        self.cancelSessionRequests()
        self.finish(self.tracker.failAll(RequestError(.deviceNotConnected, "the device was lost")))
    }

    private func watchRequests() {
        guard let deadline = self.tracker.nextDeadline else { return self.requestTimer.cancel() }
        guard self.requestTimer.deadline != deadline else { return }
        self.requestTimer.set(until: deadline) {
            self.finish(self.tracker.expire(at: self.eventLoop.now))
            self.watchRequests()
            self.flush()
        }
    }

    private func finish(_ ended: [RequestTracker<PlatformTicket>.Ended]) {
        for request in ended {
            switch request.ticket {
            case .session(let step): self.cast?.answered(step, request.outcome)
            case .call(let promise): promise.succeed(request.outcome)
            }
        }
    }
}
