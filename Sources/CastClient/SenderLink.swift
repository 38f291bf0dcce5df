import CastTransport
import CastWire
import NIOCore

/// A sender's end of one channel. Lives on the channel's event loop; ``RemoteDevice`` is how others reach it.
final class SenderLink {
    private struct Wait {
        let promise: EventLoopPromise<CastMessage>
        let request: String
        let timeout: Duration
        let whileAsking: @Sendable () -> Void
        var timer: Scheduled<Void>
    }

    private let eventLoop: any EventLoop
    private let options: SenderOptions
    private let messages: AsyncThrowingStream<CastMessage, any Error>.Continuation
    private var state = SenderLinkState()
    private var connection: CastConnection?
    private var ready: EventLoopPromise<Void>?
    private let ended: EventLoopPromise<Void>
    private var waits: [Int: Wait] = [:]
    private var channels: [EndpointID: RemoteAppChannel] = [:]

    init(
        eventLoop: any EventLoop, options: SenderOptions,
        messages: AsyncThrowingStream<CastMessage, any Error>.Continuation
    ) {
        self.eventLoop = eventLoop
        self.options = options
        self.messages = messages
        self.ended = eventLoop.makePromise()
    }

    /// Whoever let the device go without closing it waits for nothing any more.
    deinit {
        self.ready?.fail(SenderError.disconnected(reason: "nobody holds the device"))
        self.ended.succeed()
    }

    /// Succeeds when TLS stands; ask once, before the channel is dialled.
    func whenReady() -> EventLoopFuture<Void> {
        let promise = self.eventLoop.makePromise(of: Void.self)
        self.ready = promise
        return promise.futureResult
    }

    /// The channel could not be opened.
    func dialFailed(_ reason: SenderError) {
        self.perform(self.state.closed(reason))
    }

    /// The DER of the certificate that the device showed; nil when the channel is gone.
    var peerLeaf: [UInt8]? { self.connection?.peerLeaf }

    /// Opens a virtual connection unless there is one.
    func open(_ endpoint: EndpointID) {
        guard self.state.opened(endpoint) else { return }
        let connect = ConnectionPayload.connect(userAgent: self.options.userAgent)
        self.send(connect.payload, in: .connection, to: endpoint)
    }

    /// Sends a message.
    func send(_ payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID) {
        self.connection?.send(
            CastMessage(source: self.options.senderID, destination: endpoint, namespace: namespace, payload: payload))
        self.connection?.flush()
    }

    /// The conversation with an app; nil when the channel is gone.
    func channel(to endpoint: EndpointID) -> RemoteAppChannel? {
        guard self.connection != nil else { return nil }
        if let channel = self.channels[endpoint] { return channel }
        let channel = RemoteAppChannel(link: self, transportID: endpoint, eventLoop: self.eventLoop)
        self.channels[endpoint] = channel
        return channel
    }

    /// Sends a message, if there is one, and waits.
    /// - Parameters:
    ///   - name: what the request is called in errors.
    ///   - whileAsking: called once when the device says that it asks its user.
    func wait(
        for waiter: SenderLinkState.Waiter, sending payload: CastMessage.Payload?, name: String, timeout: Duration,
        whileAsking: @escaping @Sendable () -> Void
    ) -> EventLoopFuture<CastMessage> {
        let promise = self.eventLoop.makePromise(of: CastMessage.self)
        do throws(SenderError) {
            let id = try self.state.wait(waiter)
            self.waits[id] = Wait(
                promise: promise, request: name, timeout: timeout, whileAsking: whileAsking,
                timer: self.startTimer(of: id, timeout))
            if let payload { self.send(payload, in: waiter.namespace, to: waiter.endpoint) }
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }

    /// Closes all virtual connections and the channel.
    /// - Returns: a future that ends with the channel, or soon when the peer does not let go.
    func close() -> EventLoopFuture<Void> {
        for endpoint in self.state.endpoints {
            self.send(ConnectionPayload.close(reason: .closedBySelf).payload, in: .connection, to: endpoint)
        }
        guard let connection else { return self.eventLoop.makeSucceededVoidFuture() }
        connection.close("the sender is done")
        let end = self.ended.futureResult
        let patience = self.eventLoop.makePromise(of: Void.self)
        let timer = self.eventLoop.scheduleTask(in: .seconds(1)) { patience.succeed() }
        end.whenComplete { _ in
            timer.cancel()
            patience.succeed()
        }
        return patience.futureResult
    }

    // MARK: What the channel says

    func connectionReady(_ connection: CastConnection) {
        self.connection = connection
        self.perform(self.state.becameReady())
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.perform(self.state.received(message))
    }

    func connectionReadComplete(_ connection: CastConnection) {
        connection.flush()
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        self.connection = nil
        let reason = reason?.description ?? "the device closed the channel"
        self.perform(self.state.closed(.disconnected(reason: reason)))
    }

    private func perform(_ actions: [SenderLinkState.Action]) {
        for action in actions {
            switch action {
            case .becomeReady:
                self.ready?.succeed()
                self.ready = nil
            case .answer(let id, let message):
                self.endWait(id)?.succeed(message)
            case .fail(let id, let reason):
                self.endWait(id)?.fail(reason)
            case .extend(let id):
                guard let wait = self.waits[id] else { continue }
                wait.timer.cancel()
                self.waits[id]?.timer = self.startTimer(of: id, max(wait.timeout, self.options.startTimeout))
                wait.whileAsking()
            case .publish(let message):
                self.deliver(message)
                self.messages.yield(message)
            case .finish(let reason):
                self.ready?.fail(reason)
                self.ready = nil
                self.messages.finish(throwing: reason)
                let channels = self.channels.values
                self.channels = [:]
                for channel in channels { channel.ended(reason) }
                self.ended.succeed()
            }
        }
    }

    private func deliver(_ message: CastMessage) {
        guard let channel = self.channels[message.source] else { return }
        if message.namespace == .connection, ConnectionPayload(message.payload)?.kind == .close {
            self.channels[message.source] = nil
            channel.ended(.connectionClosed(message.source))
        } else {
            channel.onMessage?(message)
        }
    }

    private func endWait(_ id: Int) -> EventLoopPromise<CastMessage>? {
        guard let wait = self.waits.removeValue(forKey: id) else { return nil }
        wait.timer.cancel()
        return wait.promise
    }

    private func startTimer(of id: Int, _ timeout: Duration) -> Scheduled<Void> {
        self.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) {
            guard self.state.gaveUp(id), let wait = self.waits.removeValue(forKey: id) else { return }
            wait.promise.fail(SenderError.timedOut(request: wait.request, after: timeout))
        }
    }
}
