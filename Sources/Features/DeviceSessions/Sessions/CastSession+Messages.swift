import CastClient
package import CastWire
package import GatewayCore
import NIOCore
import SystemPrimitives

// Messages in namespaces of an app's own.
extension CastSession {
    /// Sends the app a message.
    /// - Parameters:
    ///   - payload: text or bytes; with `wait` a JSON object, which is given a `requestId` of its own.
    ///   - namespace: one of the app's own, not of media.
    ///   - origin: who sends it. Handlers of the leg `own` see it, but for the one of that name; nil passes them by.
    ///   - wait: how long to wait for the answer, the message with that id; nil returns as soon as it is sent.
    /// - Returns: the answer; nil without `wait`.
    /// - Throws: ``SessionFailure``: `sessionNotActive` when the app cannot be spoken to now, `invalidRequest` when an answer is
    ///   wanted to what is no JSON object, `messageTooBig`, `sendBufferFull`; with `wait` also `timeout`, `cancelled`, and
    ///   `disconnected` when the app or the device is lost meanwhile.
    package func send(
        _ payload: CastMessage.Payload, in namespace: Namespace, from origin: MessageOrigin? = nil,
        wait: Duration? = nil
    ) async throws(SessionFailure) -> JSONObject? {
        let host = self.host
        if Task.isCancelled { throw SessionFailure(.cancelled, "the message was not sent") }
        let promise = host.eventLoop.makePromise(of: RequestOutcome.self)
        host.eventLoop.execute(
            CommandTrace.carried {
                host.value.send(payload, in: namespace, from: origin, wait: wait, promise: promise)
            })
        let outcome = await withTaskCancellationHandler {
            (try? await promise.futureResult.get()) ?? .aborted(.cancelled)
        } onCancel: {
            promise.succeed(.aborted(.cancelled))
        }
        do {
            let answer = try outcome.get()
            return wait == nil ? nil : answer
        } catch {
            throw SessionFailure(error)
        }
    }
}

extension SessionHost {
    /// Sends the app a message, as ``CastSession/send(_:in:from:wait:)``.
    /// - Parameter promise: succeeds with the answer, or without `wait` once the message is sent. A caller that completes it first
    ///   gets no answer.
    func send(
        _ payload: CastMessage.Payload, in namespace: Namespace, from origin: MessageOrigin?, wait: Duration?,
        promise: AppRequests.Promise
    ) {
        let json = wait == nil ? nil : payload.jsonObject
        if wait != nil, json == nil {
            let text = "only to a JSON object there is an answer to wait for"
            return promise.succeed(.failed(RequestError(.invalidRequest, text)))
        }
        guard payload.bytes.readableBytes <= CastMessage.maximumPayloadLength else {
            return promise.succeed(.failed(RequestError(.messageTooBig, "the message does not fit into a frame")))
        }
        guard let transport = self.transport else {
            let isInBackground = self.facts.suspendReason == .appBackgrounded
            let failure = RequestError(
                isInBackground ? .appDidEnterBackground : .sessionNotActive, "the app cannot be spoken to now")
            return promise.succeed(.failed(failure))
        }
        guard self.isWritable else {
            return promise.succeed(.failed(RequestError(.sendBufferFull, "too much waits for the device")))
        }
        if let wait, let json {
            guard
                let request = self.requests.begin(
                    json, in: namespace, at: transport, timeout: wait, from: origin, promise: promise)
            else { return }
            let requests = NIOLoopBound(self.requests, eventLoop: self.eventLoop)
            promise.futureResult.whenComplete { _ in requests.value.forget(promise) }
            self.send(.json(request), in: namespace, from: origin)
        } else {
            self.send(payload, in: namespace, from: origin)
            promise.succeed(.completed(JSONObject()))
        }
        self.flush()
    }
}
