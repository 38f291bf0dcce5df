import CastWire
import NIOCore

/// One app that this sender launches or joins, on the event loop of its channel; ``RemoteApp`` is how other threads reach it.
///
/// Carries out what its ``AppConnection`` says, and hands the app's messages to the media client and to the listeners.
final class AppSession {
    private struct Listener {
        let namespace: Namespace
        let continuation: AsyncStream<CastMessage>.Continuation
    }

    let eventLoop: any EventLoop
    private weak var channel: DeviceChannel?
    private let app: AppID
    private let launch: LaunchOptions
    private var machine: AppConnection
    private var application: ReceiverApplication?
    private let start: EventLoopPromise<ReceiverApplication>
    private let whileAsking: @Sendable () -> Void
    private var hasAsked = false
    private let ended: EventLoopPromise<RequestError>
    private var timer: Scheduled<Void>?
    private var media: NIOLoopBound<MediaClientDriver>?
    private var listeners: [Int: Listener] = [:]
    private var nextListener = 0
    /// Why the session is over; nil while it is not.
    private var failure: RequestError?

    /// Launches or joins an app.
    /// - Parameter whileAsking: called once when the device asks its user whether the app may be launched.
    init(_ app: AppID, options: LaunchOptions, on channel: DeviceChannel, whileAsking: @escaping @Sendable () -> Void) {
        var timing = AppConnection.Timing()
        // Each request has its own time; this is for an app that is launched and never listed.
        timing.start = TimeAmount(channel.options.startTimeout + channel.options.answerTimeout)
        timing.consent = TimeAmount(channel.options.startTimeout)
        timing.relaunchPause = TimeAmount(channel.options.relaunchPause)
        self.machine = AppConnection(.app(app), options: options, timing: timing, at: channel.eventLoop.now)
        self.app = app
        self.launch = options
        self.whileAsking = whileAsking
        self.channel = channel
        self.eventLoop = channel.eventLoop
        self.start = channel.eventLoop.makePromise()
        self.ended = channel.eventLoop.makePromise()
    }

    /// Joins an app that runs.
    init(joining application: ReceiverApplication, on channel: DeviceChannel) {
        let app = application.appID ?? ""
        self.machine = AppConnection(idle: .app(app))
        self.app = app
        self.launch = LaunchOptions()
        self.whileAsking = {}
        self.channel = channel
        self.eventLoop = channel.eventLoop
        self.start = channel.eventLoop.makePromise()
        self.ended = channel.eventLoop.makePromise()
    }

    deinit {
        self.timer?.cancel()
        let error = RequestError.disconnected("the device was released")
        self.start.fail(error)
        self.ended.succeed(error)
        for listener in self.listeners.values { listener.continuation.finish() }
        // The last reference may go on any thread, and the caller may hold the media client still.
        if let media { self.eventLoop.execute { media.value.suspend() } }
    }

    /// Where the app can be spoken to now.
    var transport: EndpointID? { self.machine.transport }

    /// Where the app is, also while it is doubted whether it still runs.
    var joinedTransport: EndpointID? { self.machine.application?.transportID }

    /// Tells of the app as soon as it can be spoken to.
    var started: EventLoopFuture<ReceiverApplication> { self.start.futureResult }

    /// Begins to launch or join the app.
    func begin() {
        self.perform(self.machine.start(at: self.eventLoop.now, isOnline: true))
    }

    /// Joins an app that runs, at once.
    func adopt(_ application: ReceiverApplication) {
        self.perform(self.machine.adopt(application))
    }

    /// Gives the start up, unless the app can be spoken to already. The device may launch the app all the same.
    func cancelStart() {
        guard self.machine.isStarting else { return }
        self.perform(self.machine.leave())
        self.finish(RequestError(.cancelled, "the request was cancelled"))
    }

    /// Tells why the session is over, once it is.
    var end: EventLoopFuture<RequestError> { self.ended.futureResult }

    /// The media client of the app, made when it is asked for the first time.
    /// - Throws: why there is none any more.
    func mediaClient(_ options: MediaClientOptions) throws(RequestError) -> MediaClient {
        if let failure { throw failure }
        guard let channel, let application else { throw .disconnected("the channel is gone") }
        if let media { return media.value.client }
        let media = MediaClientDriver(eventLoop: self.eventLoop, counter: channel.counter, options: options)
        self.media = NIOLoopBound(media, eventLoop: self.eventLoop)
        media.attach(to: self, app: application)
        return media.client
    }

    /// Hands the messages of a namespace to a reader from now on.
    func listen(_ namespace: Namespace, _ continuation: AsyncStream<CastMessage>.Continuation) {
        guard self.failure == nil, self.channel != nil else { return continuation.finish() }
        self.nextListener += 1
        let number = self.nextListener
        self.listeners[number] = Listener(namespace: namespace, continuation: continuation)
        let bound = NIOLoopBound(WeakSession(session: self), eventLoop: self.eventLoop)
        let eventLoop = self.eventLoop
        continuation.onTermination = { _ in
            eventLoop.execute { bound.value.session?.listeners[number] = nil }
        }
    }

    /// What a step asks of the platform.
    func payload(of request: AppConnection.Request, id: RequestID) -> CastMessage.Payload {
        switch request {
        case .status: ReceiverRequest.getStatus(requestID: id).payload
        case .launch: self.launch.request(for: self.app, requestID: id).payload
        }
    }

    // MARK: What the channel tells

    func answered(_ request: AppConnection.Request, _ answer: AppConnection.Answer) {
        var answer = answer
        if request == .launch, case .failed(let error) = answer, error.reason != nil || error.extendedError != nil {
            answer = .failed(.launchRefused(self.app, by: error))
        }
        self.perform(self.machine.answered(request, answer, at: self.eventLoop.now))
    }

    func consent(_ state: LaunchStatus.State) {
        self.perform(self.machine.consent(state, at: self.eventLoop.now))
    }

    func received(_ status: ReceiverStatus) {
        self.perform(self.machine.received(status, at: self.eventLoop.now))
    }

    func received(_ message: CastMessage) {
        self.media?.value.receive(message)
        for listener in self.listeners.values where listener.namespace == message.namespace {
            listener.continuation.yield(message)
        }
    }

    func closed(_ transport: EndpointID) {
        self.perform(self.machine.closed(transport, at: self.eventLoop.now))
    }

    /// The channel is gone for good.
    func lost(_ error: RequestError) {
        self.perform(self.machine.linkDown())
        self.finish(error, isChannelLost: true)
    }

    // MARK: What the machine says

    private func perform(_ actions: [AppConnection.Action]) {
        for action in actions {
            switch action {
            case .ask(let request): self.channel?.ask(request, for: self)
            case .cancelRequests: self.channel?.cancelRequests(of: self)
            case .connect(let transport): self.channel?.open(transport)
            case .close(let transport): self.channel?.close(transport)
            case .wait(let until): self.wait(until: until)
            case .consent(let state):
                guard state == .userPendingAuthorization, !self.hasAsked else { continue }
                self.hasAsked = true
                self.whileAsking()
            case .opened(let application):
                self.timer?.cancel()
                self.application = application
                self.media?.value.attach(to: self, app: application)
                self.start.succeed(application)
            // The media client goes on when the connection is opened again, and is told when it is not.
            case .interrupted: break
            case .updated(_, let application): self.application = application
            case .ended(let error): self.finish(error)
            }
        }
    }

    private func wait(until deadline: NIODeadline) {
        self.timer?.cancel()
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            self.perform(self.machine.timerFired(at: self.eventLoop.now))
        }
    }

    private func finish(_ error: RequestError, isChannelLost: Bool = false) {
        // What ended the session first is why it is over.
        guard self.failure == nil else { return }
        self.failure = error
        self.timer?.cancel()
        self.channel?.remove(self)
        if isChannelLost { self.media?.value.suspend() } else { self.media?.value.detach() }
        self.start.fail(Self.failure(of: self.app, error))
        self.ended.succeed(error)
        for listener in self.listeners.values { listener.continuation.finish() }
        self.listeners = [:]
    }

    /// A refusal of the device's user is one of the launch.
    private static func failure(of app: AppID, _ error: RequestError) -> RequestError {
        error.reason == LaunchStatus.State.userNotAllowed.rawValue ? .launchRefused(app, by: error) : error
    }

    private struct WeakSession {
        weak var session: AppSession?
    }
}

// How the media client reaches the app.
extension AppSession: MediaTransport {
    func send(_ payload: CastMessage.Payload, in namespace: Namespace) {
        guard let transport else { return }
        self.channel?.send(payload, in: namespace, to: transport)
    }

    /// The channel sends at once.
    func flush() {}
}
