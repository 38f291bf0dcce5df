import CastTransport
import CastWire
import NIOCore
import Synchronization
import SystemPrimitives

/// A sender's end of one channel, on the channel's event loop; ``RemoteDevice`` is how other threads reach it.
///
/// What comes in goes this way: a message that bears the number of a waiting request ends it. Any other message ends the exchanges
/// that wait for its end and namespace, and is then told: to the app's session, and to the listeners of the device. A status of
/// the platform goes to the sessions of all apps, whichever request it answers. The connection to the device keeps only a weak
/// reference (``DialledConnection``), so that a device that is released without being closed takes its channel along.
final class DeviceChannel {
    /// A caller on any thread that waits for an answer.
    final class Call: Sendable {
        /// What the request is called in errors.
        let name: String
        let payload: CastMessage.Payload
        let timeout: Duration
        let isCancelled = Mutex(false)

        init(_ name: String, sending payload: CastMessage.Payload, timeout: Duration) {
            self.name = name
            self.payload = payload
            self.timeout = timeout
        }
    }

    /// What a request is known by.
    private enum Ticket {
        /// The state that shows, besides an answer, that it was carried out; nil when none does.
        case call(Call, EventLoopPromise<CastMessage>, PlatformExpectation?)
        /// A step of an app's session.
        case app(AppSession, AppConnection.Request, timeout: Duration)
    }

    /// How a message is answered.
    enum Answer {
        /// By a message that bears this number.
        case numbered(RequestID)
        /// By any message of the same end in the same namespace.
        case any
    }

    private enum Phase {
        case connecting(EventLoopPromise<Void>)
        case open(NIOLoopBound<CastConnection>)
        case closed(RequestError)
    }

    /// A device that goes on closing the platform's virtual connection is left to do so.
    private static let maximumReopenings = 3

    let eventLoop: any EventLoop
    let options: SenderOptions
    let counter: RequestCounter
    private let messages: AsyncThrowingStream<CastMessage, any Error>.Continuation
    private var phase: Phase
    private var tracker: RequestTracker<Ticket>
    private var timer: Scheduled<Void>?
    private var timerDeadline: NIODeadline?
    private let ended: EventLoopPromise<Void>
    /// The ends that this sender has a virtual connection to.
    private var endpoints: Set<EndpointID> = []
    private var sessions: [ObjectIdentifier: AppSession] = [:]
    private var address = ""
    /// The last status of the device, completed by earlier ones; nil before the first.
    private var status: ReceiverStatus?
    /// How often the platform's virtual connection was opened again.
    private var reopenings = 0

    init(
        eventLoop: any EventLoop, options: SenderOptions, counter: RequestCounter,
        messages: AsyncThrowingStream<CastMessage, any Error>.Continuation
    ) {
        self.eventLoop = eventLoop
        self.options = options
        self.counter = counter
        self.messages = messages
        self.tracker = RequestTracker(counter: counter)
        self.phase = .connecting(eventLoop.makePromise())
        self.ended = eventLoop.makePromise()
    }

    deinit {
        self.timer?.cancel()
        let error = RequestError.disconnected("the device was released")
        switch self.phase {
        case .connecting(let ready): ready.fail(error)
        case .open(let connection):
            // The last reference may go on any thread.
            self.eventLoop.execute { connection.value.close("the device was released") }
        case .closed: break
        }
        for request in self.tracker.failAll(error) {
            if case .call(_, let promise, _) = request.ticket { promise.fail(error) }
        }
        self.messages.finish(throwing: error)
        self.ended.succeed()
    }

    /// Dials the device; succeeds when TLS stands.
    func dial(host: String, port: Int) throws -> EventLoopFuture<Void> {
        guard case .connecting(let ready) = self.phase else { return self.eventLoop.makeSucceededVoidFuture() }
        self.address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let timeout = TimeAmount(self.options.connectTimeout)
        let dialer = try CastDialer(
            pipeline: CastPipeline(
                role: .sender, heartbeat: .init(interval: .seconds(5), timeout: .seconds(15)),
                handshakeTimeout: timeout),
            timeout: timeout)
        let dialled = DialledConnection(of: self)
        dialer.dial(host: host, port: port, on: self.eventLoop, delegate: dialled).assumeIsolated().whenComplete {
            switch $0 {
            case .success(let connection): dialled.connected(connection)
            case .failure(let error): self.end(.unreachable(self.address, reason: DialledConnection.text(of: error)))
            }
        }
        return ready.futureResult
    }

    /// The DER of the certificate that the device showed; nil when the channel is gone.
    var peerLeaf: [UInt8]? { self.connection?.peerLeaf }

    private var connection: CastConnection? {
        if case .open(let connection) = self.phase { connection.value } else { nil }
    }

    // MARK: To the device

    /// Opens a virtual connection unless there is one.
    func open(_ endpoint: EndpointID) {
        guard self.connection != nil, self.endpoints.insert(endpoint).inserted else { return }
        let connect = ConnectionPayload.connect(userAgent: self.options.userAgent)
        self.send(connect.payload, in: .connection, to: endpoint)
    }

    /// Closes a virtual connection if there is one.
    func close(_ endpoint: EndpointID) {
        guard self.endpoints.remove(endpoint) != nil else { return }
        self.send(ConnectionPayload.close(reason: .closedBySelf).payload, in: .connection, to: endpoint)
    }

    /// Sends a message.
    func send(_ payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID) {
        guard let connection else { return }
        connection.send(
            CastMessage(source: self.options.senderID, destination: endpoint, namespace: namespace, payload: payload))
        connection.flush()
    }

    /// Sends a message and waits for its answer, whatever that says.
    func wait(
        for call: Call, in namespace: Namespace, to endpoint: EndpointID, answer: Answer
    ) -> EventLoopFuture<CastMessage> {
        let promise = self.eventLoop.makePromise(of: CastMessage.self)
        if call.isCancelled.withLock({ $0 }) {
            promise.fail(RequestError(.cancelled, "the request was cancelled"))
        } else if case .closed(let reason) = self.phase {
            promise.fail(reason)
        } else if !self.tracker.hasRoom {
            promise.fail(RequestError(.sendBufferFull, "too many requests wait for the device"))
        } else {
            let wish = call.payload.jsonObject.flatMap { PlatformExpectation($0, in: namespace, after: self.status) }
            let (ticket, now) = (Ticket.call(call, promise, wish), self.eventLoop.now)
            switch answer {
            case .numbered(let id):
                _ = self.tracker.begin(ticket, in: namespace, at: endpoint, id: id, timeout: call.timeout, now: now)
            case .any: self.tracker.beginExchange(ticket, in: namespace, at: endpoint, timeout: call.timeout, now: now)
            }
            self.send(call.payload, in: namespace, to: endpoint)
            self.setTimer()
        }
        return promise.futureResult
    }

    /// Stops waiting for an answer; the device may carry the request out all the same.
    func cancel(_ call: Call) {
        for request in self.take(call) {
            self.fail(request.ticket, RequestError(.cancelled, "the request was cancelled"))
        }
        self.setTimer()
    }

    private func take(_ call: Call) -> [RequestTracker<Ticket>.Ended] {
        self.tracker.cancel { if case .call(let other, _, _) = $0 { other === call } else { false } }
    }

    /// Asks the platform for an app's session.
    func ask(_ request: AppConnection.Request, for session: AppSession) {
        let timeout = request == .launch ? self.options.startTimeout : self.options.answerTimeout
        let ticket = Ticket.app(session, request, timeout: timeout)
        let (id, _) = self.tracker.begin(
            ticket, in: .receiver, at: .platformReceiver, timeout: timeout, now: self.eventLoop.now)
        self.send(session.payload(of: request, id: id), in: .receiver, to: .platformReceiver)
        self.setTimer()
    }

    /// Stops waiting for answers to what a session asked.
    func cancelRequests(of session: AppSession) {
        _ = self.tracker.cancel { if case .app(let other, _, _) = $0 { other === session } else { false } }
        self.setTimer()
    }

    /// Lets a session take part in what comes in.
    /// - Throws: why nothing comes in any more.
    func add(_ session: AppSession) throws(RequestError) {
        if case .closed(let reason) = self.phase { throw reason }
        self.sessions[ObjectIdentifier(session)] = session
    }

    /// Forgets a session that has ended.
    func remove(_ session: AppSession) {
        self.sessions[ObjectIdentifier(session)] = nil
    }

    /// The session with an app that runs; nil when there is none.
    func session(at transport: EndpointID) -> AppSession? {
        self.sessions.values.first { $0.joinedTransport == transport }
    }

    /// Closes all virtual connections and the channel.
    /// - Returns: a future that ends with the channel, or after a second when the device does not close it.
    func close() -> EventLoopFuture<Void> {
        guard let connection else { return self.eventLoop.makeSucceededVoidFuture() }
        for endpoint in self.endpoints { self.close(endpoint) }
        connection.close("the sender is done")
        let patience = self.eventLoop.makePromise(of: Void.self, within: .seconds(1)) { $0.succeed() }
        self.ended.futureResult.whenComplete { _ in patience.succeed() }
        return patience.futureResult
    }

    // MARK: From the device

    func opened(_ connection: CastConnection) {
        guard case .connecting(let ready) = self.phase else { return }
        self.phase = .open(NIOLoopBound(connection, eventLoop: self.eventLoop))
        ready.succeed()
    }

    func received(_ message: CastMessage) {
        guard case .open = self.phase else { return }
        if message.namespace == .connection { return self.receivedConnection(message) }
        // An app speaks for itself, and not for the platform.
        let isOfPlatform = message.namespace == .receiver && message.source == .platformReceiver
        if isOfPlatform, let launch = LaunchStatus(message.payload), launch.type == LaunchStatus.type {
            self.receivedConsent(launch, message)
        } else if !self.isAnswer(message) {
            self.tell(message)
        }
        if isOfPlatform, let status = ReceiverStatusPayload(message.payload)?.status?.completed(by: self.status) {
            self.status = status
            for session in Array(self.sessions.values) { session.received(status) }
            self.complete(message) { $0.isShown(by: status) }
        } else if message.namespace == .multizone, let members = MultizonePayload(message.payload) {
            self.complete(message) { $0.isShown(by: members) }
        }
        self.setTimer()
    }

    /// Ends the calls of which a message without their numbers shows that they were carried out.
    private func complete(_ message: CastMessage, where isShown: (PlatformExpectation) -> Bool) {
        let ended = self.tracker.complete([:]) { if case .call(_, _, let wish?) = $0 { isShown(wish) } else { false } }
        for request in ended { if case .call(_, let promise, _) = request.ticket { promise.succeed(message) } }
    }

    /// Ends the request whose number the message bears.
    private func isAnswer(_ message: CastMessage) -> Bool {
        guard let id = PayloadSummary(peeking: message.payload).requestID, id != .spontaneous,
            let json = message.payload.jsonObject,
            let ended = self.tracker.received(json, in: message.namespace, from: message.source)
        else { return false }
        switch ended.ticket {
        case .call(_, let promise, _): promise.succeed(message)
        case .app(let session, let request, _): session.answered(request, .init(ended.outcome))
        }
        return true
    }

    private func tell(_ message: CastMessage) {
        for ticket in self.tracker.receivedExchange(in: message.namespace, from: message.source) {
            if case .call(_, let promise, _) = ticket { promise.succeed(message) }
        }
        for session in self.sessions.values where session.transport == message.source { session.received(message) }
        self.messages.yield(message)
    }

    /// Consent is no answer, whether it bears the number of the LAUNCH or not: the launch is answered when it is done. Only a
    /// refusal ends it; one without a number ends every launch that is under way.
    private func receivedConsent(_ launch: LaunchStatus, _ message: CastMessage) {
        defer { self.messages.yield(message) }
        guard let state = launch.state else { return }
        let numbers = [launch.launchRequestID, PayloadSummary(peeking: message.payload).requestID].compactMap(\.self)
        guard let id = numbers.first(where: { $0 != .spontaneous }) else {
            guard state == .userNotAllowed else { return }
            return Array(self.sessions.values).forEach { $0.consent(state) }
        }
        guard let ticket = self.tracker.ticket(of: id) else { return }
        if state == .userPendingAuthorization {
            self.tracker.extend(id, to: self.eventLoop.now + TimeAmount(self.options.startTimeout))
        }
        switch ticket {
        case .app(let session, _, _): session.consent(state)
        case .call(let call, let promise, _):
            guard state == .userNotAllowed else { return }
            _ = self.take(call)
            promise.succeed(message)
        }
    }

    private func receivedConnection(_ message: CastMessage) {
        defer { self.messages.yield(message) }
        guard ConnectionPayload(message.payload)?.kind == .close else { return }
        let end = message.source
        let isOpen = self.endpoints.remove(end) != nil
        if end == .platformReceiver, isOpen, self.reopenings < Self.maximumReopenings { return self.reopenPlatform() }
        let error = RequestError.connectionClosed(end)
        for request in self.tracker.failAll(error, at: end) { self.fail(request.ticket, error) }
        // A device that has restarted closes each connection until that is acknowledged (protocol notes, 9, 2).
        if isOpen, self.session(at: end) != nil {
            self.send(ConnectionPayload.close(reason: .closedBySelf).payload, in: .connection, to: end)
        }
        for session in self.sessions.values where session.transport == end { session.closed(end) }
        self.setTimer()
    }

    /// The platform closed the virtual connection. A device that has restarted does so until that is acknowledged, and throws
    /// away what it is asked meanwhile (protocol notes, 9, 2): the connection is opened again, and all requests are repeated.
    private func reopenPlatform() {
        self.reopenings += 1
        self.send(ConnectionPayload.close(reason: .closedBySelf).payload, in: .connection, to: .platformReceiver)
        self.open(.platformReceiver)
        for request in self.tracker.waiting(at: .platformReceiver) {
            switch (request.ticket, request.id) {
            case (.call(let call, _, _), _): self.send(call.payload, in: request.namespace, to: .platformReceiver)
            case (.app(let session, let step, _), let id?):
                self.send(session.payload(of: step, id: id), in: request.namespace, to: .platformReceiver)
            case (.app, nil): break
            }
        }
    }

    func closed(_ reason: TransportError?) {
        let words = reason?.description ?? "the device closed the channel"
        if case .connecting = self.phase { return self.end(.unreachable(self.address, reason: words)) }
        self.end(.disconnected(words))
    }

    private func end(_ error: RequestError) {
        if case .closed = self.phase { return }
        let before = self.phase
        self.phase = .closed(error)
        self.endpoints = []
        if case .connecting(let ready) = before { ready.fail(error) }
        for request in self.tracker.failAll(error) { self.fail(request.ticket, error) }
        self.setTimer()
        let sessions = self.sessions.values
        self.sessions = [:]
        for session in sessions { session.lost(error) }
        self.messages.finish(throwing: error)
        self.ended.succeed()
    }

    // MARK: The end of requests

    private func fail(_ ticket: Ticket, _ error: RequestError) {
        switch ticket {
        case .call(_, let promise, _): promise.fail(error)
        case .app(let session, let request, _): session.answered(request, .failed(error))
        }
    }

    private func setTimer() {
        let deadline = self.tracker.nextDeadline
        guard deadline != self.timerDeadline else { return }
        self.timer?.cancel()
        self.timer = nil
        self.timerDeadline = deadline
        guard let deadline else { return }
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            self?.timerFired()
        }
    }

    private func timerFired() {
        self.timer = nil
        self.timerDeadline = nil
        for request in self.tracker.expire(at: self.eventLoop.now) {
            switch request.ticket {
            case .call(let call, let promise, _): promise.fail(RequestError.timedOut(call.name, after: call.timeout))
            case .app(let session, let step, let timeout):
                let name = step == .launch ? "LAUNCH" : "GET_STATUS"
                session.answered(step, .failed(.timedOut(name, after: timeout)))
            }
        }
        self.setTimer()
    }
}
