import CastTransport
import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// A sender of a virtual device that has no socket: a plugin, a bridge, a client of the API.
///
/// It numbers the requests whose answers are waited for, and sorts what it receives: an answer completes its request,
/// everything else goes into the inboxes that listen. Its virtual connections are weak ones, so it keeps no app alive. Lives
/// on the device's event loop.
final class InternalSender {
    struct Outgoing: Sendable {
        let payload: CastMessage.Payload
        let namespace: Namespace
        let address: AppAddress
        let origin: MessageOrigin
        /// Requests of the same name to the same end that wait are given up for this one; nil for a request that replaces none.
        var replacing: String?
        let trace = CommandTrace.current
    }

    private struct Inbox {
        /// The end whose messages are wanted; nil for all that the sender is connected to.
        let local: EndpointID?
        let input: SenderInbox.Input
    }

    private static let maximumInboxes = 64
    /// The time a sender that is not used stays connected.
    private static let idleTimeout = TimeAmount.minutes(5)

    let id: ConnectionID
    /// Its id, the same towards every app.
    let end: EndpointID
    private(set) var origin: MessageOrigin
    private(set) var virtualConnections = VirtualConnections()
    private var requests: InternalSenderRequests
    private var inboxes: [Int: Inbox] = [:]
    private var nextInbox = 0
    private var bucket: TokenBucket?
    private var usedAt: NIODeadline

    init(id: ConnectionID, origin: MessageOrigin, messagesPerSecond: Int?, at now: NIODeadline) {
        self.id = id
        self.end = Self.end(of: origin)
        self.origin = origin
        self.requests = InternalSenderRequests(of: id)
        self.usedAt = now
        self.limit(messagesPerSecond: messagesPerSecond, at: now)
    }

    static func end(of origin: MessageOrigin) -> EndpointID { EndpointID(rawValue: "door-\(origin.name)") }

    /// Changes what it may send; as with other senders a quarter may come at once.
    func limit(messagesPerSecond: Int?, at now: NIODeadline) {
        self.bucket = messagesPerSecond.map { TokenBucket(perSecond: $0, burst: max($0 / 4, 1), at: now) }
    }

    /// True when it may be removed: no request waits, no inbox listens, and it was not used for long.
    func isIdle(at now: NIODeadline) -> Bool {
        self.requests.isEmpty && self.inboxes.isEmpty && now - self.usedAt >= Self.idleTimeout
    }

    // MARK: Out

    /// Counts a message that it is about to send, and notes its origin.
    /// - Throws: `send_buffer_full`.
    func admitMessage(from origin: MessageOrigin, at now: NIODeadline) throws(GatewayError) {
        self.usedAt = now
        guard self.bucket?.take(at: now) ?? true else {
            throw GatewayError(.init(.sendBufferFull), "'\(origin.name)' sends more than a sender may")
        }
        self.origin = origin
    }

    /// The payload of a request with a number of its own.
    /// - Throws: `invalid_request`, `send_buffer_full`.
    func number(
        _ payload: CastMessage.Payload, in namespace: Namespace
    ) throws(GatewayError) -> (payload: CastMessage.Payload, number: Int) {
        guard var json = payload.jsonObject else {
            throw GatewayError(.init(.invalidRequest), "only to a JSON object there is an answer to wait for")
        }
        guard !self.requests.isFull else {
            throw GatewayError(.init(.sendBufferFull), "'\(self.origin.name)' waits for too many answers")
        }
        let number = self.requests.nextNumber()
        json[namespace == .setup ? "request_id" : "requestId"] = .number(number)
        return (.json(json), number)
    }

    func wait(
        for number: Int, in namespace: Namespace, from local: EndpointID, promise: InternalSenderRequests.Promise,
        timeout: Scheduled<Void>, trace: CommandTrace?
    ) {
        self.requests.add(
            number, namespace: namespace, local: local, promise: promise, timeout: timeout, trace: trace)
    }

    /// Removes a request whose promise was completed, or is by the caller.
    @discardableResult
    func stopWaiting(for number: Int) -> InternalSenderRequests.Promise? { self.requests.take(number) }

    // MARK: Virtual connections

    func open(_ pair: VirtualConnection, connect: CastMessage) -> Bool {
        self.virtualConnections.open(pair, connect: connect)
    }

    /// An end at the receiver is gone, or closed its connection.
    func closed(_ local: EndpointID) {
        guard self.virtualConnections.close(VirtualConnection(local: local, peer: self.end)) else { return }
        self.failRequests(to: local)
    }

    /// Another target takes over: its apps are others. Of platforms there is always one.
    func closeApplicationConnections() {
        for connection in self.virtualConnections.all where connection.connection.local != .platformReceiver {
            self.closed(connection.connection.local)
        }
    }

    /// The CONNECT to the platform, if there is one.
    var platformConnect: CastMessage? {
        self.virtualConnections.all.first { $0.connection.local == .platformReceiver }?.entry.connect
    }

    /// The device goes, or the sender does.
    func end(_ reason: String) {
        let error = GatewayError(.init(.disconnected), reason)
        for promise in self.requests.takeAll(of: nil) { promise.fail(error) }
        for inbox in self.inboxes.values { inbox.input.finish() }
        self.inboxes = [:]
        self.virtualConnections = VirtualConnections()
    }

    private func failRequests(to local: EndpointID) {
        let error = GatewayError(.init(.disconnected), "\(local) is gone")
        for promise in self.requests.takeAll(of: local) { promise.fail(error) }
        for (number, inbox) in self.inboxes where inbox.local == local {
            inbox.input.finish()
            self.inboxes[number] = nil
        }
    }

    // MARK: In

    /// The command that a message of the device answers, or was caused by as its number says.
    func trace(of message: CastMessage) -> CommandTrace? { self.requests.trace(of: message) }

    /// The origin of a message of the device to this sender: an answer that is waited for belongs to the request.
    func origin(of message: CastMessage) -> MessageOrigin {
        self.requests.request(answeredBy: message) == nil ? self.origin.reaction : self.origin
    }

    /// Adds an inbox for what it receives.
    /// - Returns: the number to remove it with.
    /// - Throws: `send_buffer_full`.
    func listen(to local: EndpointID?, _ input: SenderInbox.Input) throws(GatewayError) -> Int {
        guard self.inboxes.count < Self.maximumInboxes else {
            throw GatewayError(.init(.sendBufferFull), "'\(self.origin.name)' listens too often")
        }
        self.nextInbox += 1
        self.inboxes[self.nextInbox] = Inbox(local: local, input: input)
        return self.nextInbox
    }

    func stopListening(_ number: Int, at now: NIODeadline) {
        self.usedAt = now
        self.inboxes[number] = nil
    }

    /// Takes a message of the device: an answer that is waited for, or one for the inboxes.
    func receive(_ message: CastMessage, device: String, session: SessionFacts?) {
        guard message.family != .connection else { return }
        if let promise = self.requests.take(answeredBy: message) {
            promise.succeed(message.payload.detached)
            return
        }
        guard !self.inboxes.isEmpty else { return }
        var message = message
        message.payload = message.payload.detached
        let received = SenderInbox.Message(device: device, session: session?.sessionID, message: message)
        for inbox in self.inboxes.values where inbox.local == nil || inbox.local == message.source {
            inbox.input.yield(received)
        }
    }
}
