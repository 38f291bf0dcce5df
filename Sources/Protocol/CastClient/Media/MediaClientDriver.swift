public import CastWire
public import NIOCore
package import SystemPrimitives

/// The loop-bound side of a media client, for the owner of the connection to the device.
///
/// Everything is called on the event loop. The owner tells when an app is connected, what it says and when it is gone; the
/// driver sends, keeps the time and tells the subscribers. ``client`` is for other threads.
public final class MediaClientDriver {
    private let eventLoop: any EventLoop
    private let hub: MediaClientHub
    private var state: MediaClientState
    private weak var transport: (any MediaTransport)?
    private var requests: [Int: MediaCommandRequest] = [:]
    /// The callers' commands that the requests are.
    private var traces: [Int: CommandTrace] = [:]
    /// The last command whose answer changed the status that is held back.
    private var heldTrace: CommandTrace?
    private var nextTicket = 0
    private var timer: Scheduled<Void>?
    private var timerDeadline: NIODeadline?
    /// Called for each event, before the subscribers hear of it.
    public var onEvent: ((MediaEvent) -> Void)?

    /// Makes a client without an app.
    ///
    /// - Parameters:
    ///   - eventLoop: The connection's.
    ///   - counter: Numbers all requests on the connection.
    ///   - options: How the client behaves.
    ///   - loads: Completes loads before they are sent; nil when nothing is to be added.
    public init(
        eventLoop: any EventLoop, counter: RequestCounter, options: MediaClientOptions = MediaClientOptions(),
        loads: (any LoadCompletion)? = nil
    ) {
        self.eventLoop = eventLoop
        self.state = MediaClientState(counter: counter, options: options, loads: loads)
        self.hub = MediaClientHub(queue: self.state.queue)
    }

    deinit {
        self.timer?.cancel()
        for request in self.requests.values {
            request.finish(.failed(RequestError(.sessionNotActive, "the session is over")))
        }
        self.hub.finish()
    }

    /// The client, for any thread. It keeps the driver, but not the transport, alive.
    public var client: MediaClient {
        MediaClient(driver: NIOLoopBound(self, eventLoop: self.eventLoop), eventLoop: self.eventLoop, hub: self.hub)
    }

    /// What is known now.
    public var snapshot: MediaSnapshot { self.state.snapshot }

    /// The queue as far as it is known.
    public var queue: MediaQueue { self.state.queue }

    // MARK: What the owner tells

    /// An app is connected, or is connected again after a gap. The status is asked for by itself.
    /// - Parameters:
    ///   - transport: how to reach it; not kept alive.
    ///   - app: as the device's status lists it. One without the media namespace gives no media to control.
    public func attach(to transport: any MediaTransport, app: ReceiverApplication) {
        self.transport = transport
        self.perform(self.state.attached(app, at: self.eventLoop.now))
    }

    /// The app said something in ``Namespace/media``, to this sender or to all.
    public func receive(_ message: CastMessage) {
        guard message.namespace == .media, message.source == self.state.endpoint else { return }
        let trace = self.trace(answeredBy: message)
        CommandTrace.following(trace) {
            self.perform(self.state.received(message.payload, at: self.eventLoop.now))
        }
        self.heldTrace = self.state.isStatusHeld ? trace ?? self.heldTrace : nil
    }

    /// The command that a message of the app's answers; nil for any other message.
    package func trace(answeredBy message: CastMessage) -> CommandTrace? {
        guard !self.traces.isEmpty, message.namespace == .media, message.source == self.state.endpoint else {
            return nil
        }
        return self.state.ticket(answeredBy: message.payload).flatMap { self.traces[$0] }
    }

    /// The channel is gone and may come back; what is known stays.
    public func suspend() {
        self.perform(self.state.suspended(at: self.eventLoop.now))
    }

    /// The app is gone.
    public func detach() {
        self.perform(self.state.detached(at: self.eventLoop.now))
        self.transport = nil
    }

    /// Takes how long answers and loads may take, from the next request on; the other options stay as they are.
    public func follow(_ options: MediaClientOptions) {
        self.state.follow(options)
    }

    // MARK: What users ask for

    /// Asks the app for something.
    public func start(_ command: MediaCommand) -> MediaCommandRequest {
        self.nextTicket += 1
        let ticket = self.nextTicket
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        let eventLoop = self.eventLoop
        let request = MediaCommandRequest(id: ticket, name: command.type.rawValue) {
            eventLoop.execute { driver.value.cancel(ticket) }
        }
        self.start(command, as: request, ticket: ticket)
        return request
    }

    func start(_ command: MediaCommand, as request: MediaCommandRequest, ticket: Int) {
        self.requests[ticket] = request
        self.traces[ticket] = CommandTrace.current
        self.perform(self.state.perform(command, ticket: ticket, at: self.eventLoop.now))
    }

    func cancel(_ ticket: Int) {
        self.perform(self.state.cancel(ticket: ticket, at: self.eventLoop.now))
    }

    func followQueue() {
        self.perform(self.state.followQueue(at: self.eventLoop.now))
    }

    func reloadQueue() {
        self.perform(self.state.reloadQueue(at: self.eventLoop.now))
    }

    func wantQueueItems(_ indices: [Int]) {
        self.perform(self.state.wantQueueItems(indices, at: self.eventLoop.now))
    }

    func useQueueItems(_ ids: [Int]) -> [Int: QueueItem] {
        self.state.useQueueItems(ids)
    }

    func forgetQueueItems() {
        self.state.forgetQueueItems()
        self.perform([])
    }

    private func perform(_ actions: [MediaClientState.Action]) {
        self.hub.update(self.state.snapshot, queue: self.state.queue)
        var hasSent = false
        for action in actions {
            switch action {
            case .send(let payload, let ticket):
                CommandTrace.following(ticket.flatMap { self.traces[$0] }) {
                    self.transport?.send(payload, in: .media)
                }
                hasSent = true
            case .emit(let event):
                self.onEvent?(event)
                self.hub.publish(event)
            case .finish(let ticket, let outcome):
                self.traces[ticket] = nil
                self.requests.removeValue(forKey: ticket)?.finish(outcome)
            }
        }
        if hasSent { self.transport?.flush() }
        self.setTimer()
    }

    private func setTimer() {
        let deadline = self.state.nextDeadline
        guard deadline != self.timerDeadline else { return }
        self.timer?.cancel()
        self.timer = nil
        self.timerDeadline = deadline
        guard let deadline else { return }
        let driver = NIOLoopBound(Weak(self), eventLoop: self.eventLoop)
        self.timer = self.eventLoop.scheduleTask(deadline: deadline) { driver.value.driver?.timerFired() }
    }

    private func timerFired() {
        self.timerDeadline = nil
        self.timer = nil
        CommandTrace.following(self.heldTrace) { self.perform(self.state.expire(at: self.eventLoop.now)) }
        if !self.state.isStatusHeld { self.heldTrace = nil }
    }

    /// A timer does not keep the driver alive.
    private struct Weak {
        weak var driver: MediaClientDriver?

        init(_ driver: MediaClientDriver) {
            self.driver = driver
        }
    }
}

/// The virtual connection to an app that a media client talks through. Lives on its event loop.
public protocol MediaTransport: AnyObject {
    /// Sends a message to the app; it may wait for ``flush()``.
    func send(_ payload: CastMessage.Payload, in namespace: Namespace)

    /// Sends what waits.
    func flush()
}

/// Adds to the loads of Castway's own sessions what the configuration has for them.
public protocol LoadCompletion: Sendable {
    /// Completes a load that is about to be sent; what it has stays.
    /// - Parameter app: the app that loads.
    func complete(_ load: inout LoadRequest, for app: ReceiverApplication)

    /// What the gateway's own sessions say of it when they connect to an app.
    var introduction: SenderIntroduction { get }
}

extension LoadCompletion {
    /// No more than its name.
    public var introduction: SenderIntroduction { SenderIntroduction() }
}
