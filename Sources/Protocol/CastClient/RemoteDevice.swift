import CastTransport
public import CastWire
import NIOCore
import NIOPosix
import Synchronization

/// A Cast device, seen from a sender: one channel, the device's platform, and the apps that run there.
///
/// 1. ``connect(host:port:options:)`` opens a TLS channel and the virtual connection to the device's platform.
/// 2. ``run(_:options:whileAsking:)`` joins an app, or launches it when it does not run.
/// 3. The ``RemoteApp`` speaks with the app: messages in namespaces of its own, and a ``MediaClient``.
/// 4. ``close()`` closes the channel; what runs on the device goes on until it is stopped.
///
/// Load a film, wait until it plays, stop it, and stop the app:
///
///     let device = try await RemoteDevice.connect(host: "192.0.2.40")
///     let app = try await device.run(.defaultMediaReceiver)
///     let media = try await app.media()
///
///     var film = MediaInformation()
///     film.contentURL = "http://192.0.2.9/film.mp4"
///     film.contentType = "video/mp4"
///     try await media.perform(.load(film))
///     try await media.wait(for: .seconds(20)) { $0.playerState == .playing }
///
///     try await media.perform(.stop())
///     try await app.stop()
///     await device.close()
///
/// Everything may be called from any thread or task. Requests that wait end when their task is cancelled, when their time is
/// over, and when the channel is lost; each failure is a ``RequestError`` with a code. At most 256 requests wait at once,
/// further ones fail with the code `sendBufferFull`. A device that is released without being closed closes its channel.
public final class RemoteDevice: Sendable {
    /// The messages that answer none of this sender's requests, in order; ends with a ``RequestError`` when the channel
    /// does. Of a backlog the newest 256 are kept. Only one task may read.
    public let messages: AsyncThrowingStream<CastMessage, any Error>
    /// How this sender behaves.
    public let options: SenderOptions
    /// Numbers the requests on the channel.
    private let counter: RequestCounter
    private let channel: NIOLoopBound<DeviceChannel>

    private init(
        channel: NIOLoopBound<DeviceChannel>, options: SenderOptions, counter: RequestCounter,
        messages: AsyncThrowingStream<CastMessage, any Error>
    ) {
        self.channel = channel
        self.options = options
        self.counter = counter
        self.messages = messages
    }

    // MARK: The channel

    /// Opens a channel, and the virtual connection to the device's platform.
    ///
    /// - Parameters:
    ///   - host: An address or a name.
    ///   - port: Where the device answers, usually 8009.
    /// - Throws: ``RequestError`` with the code `deviceNotConnected`.
    public static func connect(
        host: String, port: Int = 8009, options: SenderOptions = SenderOptions()
    ) async throws(RequestError) -> RemoteDevice {
        let device = try await Self.dial(host: host, port: port, options: options)
        await device.open(.platformReceiver)
        return device
    }

    /// Opens a channel on which nothing is said yet, so that the device can be asked to prove itself first, with
    /// ``peerLeaf()`` and ``exchange(_:in:to:timeout:)``. Open the virtual connection to
    /// ``CastWire/EndpointID/platformReceiver`` before anything else is asked.
    /// - Throws: ``RequestError`` with the code `deviceNotConnected`.
    public static func dial(
        host: String, port: Int = 8009, options: SenderOptions = SenderOptions()
    ) async throws(RequestError) -> RemoteDevice {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let (messages, continuation) = AsyncThrowingStream.makeStream(
            of: CastMessage.self, bufferingPolicy: .bufferingNewest(256))
        let counter = RequestCounter()
        do {
            let channel = try await eventLoop.flatSubmit {
                let channel = DeviceChannel(
                    eventLoop: eventLoop, options: options, counter: counter, messages: continuation)
                let bound = NIOLoopBound(channel, eventLoop: eventLoop)
                do {
                    return try channel.dial(host: host, port: port).map { bound }
                } catch {
                    return eventLoop.makeFailedFuture(error)
                }
            }.get()
            return RemoteDevice(channel: channel, options: options, counter: counter, messages: messages)
        } catch {
            throw error as? RequestError ?? .unreachable("\(host):\(port)", reason: DialledConnection.text(of: error))
        }
    }

    /// The DER of the certificate that the device showed on this channel; nil once the channel is gone.
    public func peerLeaf() async -> [UInt8]? {
        try? await self.onLoop { (channel) -> [UInt8]? in channel.peerLeaf }
    }

    /// Opens a virtual connection, unless this sender has one to that end.
    public func open(_ endpoint: EndpointID) async {
        try? await self.onLoop { $0.open(endpoint) }
    }

    /// Sends a message and waits for nothing.
    /// - Throws: ``RequestError`` with the code `messageTooBig`.
    public func send(
        _ payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID
    ) async throws(RequestError) {
        try Self.check(payload)
        try? await self.onLoop { $0.send(payload, in: namespace, to: endpoint) }
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: The request; it gets a number unless it has one.
    ///   - timeout: How long the answer may take; nil means as the options say.
    /// - Returns: The answer, also one that refuses the request; ``RequestError/init(reply:)`` reads it.
    /// - Throws: ``RequestError``: `timeout`, `disconnected`, `messageTooBig`, `cancelled`, `sendBufferFull`, and
    ///   `applicationNotRunning` when the device closes the virtual connection to that end.
    public func request(
        _ request: JSONObject, in namespace: Namespace, to endpoint: EndpointID, timeout: Duration? = nil
    ) async throws(RequestError) -> CastMessage {
        var request = request
        let given = RequestID(json: request["requestId"])
        let requestID = given.flatMap { $0 == .spontaneous ? nil : $0 } ?? self.counter.next()
        request["requestId"] = requestID.json
        return try await self.wait(
            sending: .json(request), in: namespace, to: endpoint, answer: .numbered(requestID),
            name: request.string("type") ?? "the request", timeout: timeout)
    }

    /// Sends a message and waits for the first one that comes back in its namespace from the same end.
    /// - Throws: ``RequestError``, as for ``request(_:in:to:timeout:)``.
    public func exchange(
        _ payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID, timeout: Duration? = nil
    ) async throws(RequestError) -> CastMessage {
        try await self.wait(
            sending: payload, in: namespace, to: endpoint, answer: .any, name: "the message", timeout: timeout)
    }

    /// Closes every virtual connection and the channel. What runs on the device goes on.
    public func close() async {
        let channel = self.channel
        try? await channel.eventLoop.flatSubmit { channel.value.close() }.get()
    }

    // MARK: The platform

    /// What the device tells of itself: its volume, and the apps that run.
    /// - Throws: ``RequestError``.
    @discardableResult
    public func status() async throws(RequestError) -> ReceiverStatusPayload {
        try await self.platformRequest(["type": "GET_STATUS"])
    }

    /// Changes the device's volume; parts that are absent stay as they are.
    /// - Returns: the status afterwards.
    /// - Throws: ``RequestError``.
    @discardableResult
    public func setVolume(_ volume: ReceiverVolume) async throws(RequestError) -> ReceiverStatusPayload {
        try await self.platformRequest(["type": "SET_VOLUME", "volume": .object(volume.json)])
    }

    /// Stops a session, or the app that runs when none is named.
    /// - Returns: the status afterwards.
    /// - Throws: ``RequestError``.
    @discardableResult
    public func stop(sessionID: String? = nil) async throws(RequestError) -> ReceiverStatusPayload {
        var request: JSONObject = ["type": "STOP"]
        if let sessionID { request["sessionId"] = .string(sessionID) }
        return try await self.platformRequest(request)
    }

    // MARK: Apps

    /// Joins an app that runs, or launches it (protocol notes, 8.1). A launch that another one has cancelled is tried once more.
    ///
    /// A device that asks its user gets ``SenderOptions/startTimeout`` once more, from the moment at which it says so.
    /// - Parameters:
    ///   - id: The app; an Android TV app goes by the id of the web app that it stands for, too.
    ///   - options: How it is launched; ``LaunchOptions/relaunchesIfRunning`` launches it anew.
    ///   - whileAsking: Called once when the device asks its user whether the app may be launched.
    /// - Throws: ``RequestError``: `applicationNotFound`, `notAllowed` or `launchCancelled` with the device's own word as
    ///   ``RequestError/reason``, `timeout`, `disconnected`, `cancelled`; the device may launch the app all the same then.
    public func run(
        _ id: AppID, options: LaunchOptions = LaunchOptions(), whileAsking: @escaping @Sendable () -> Void = {}
    ) async throws(RequestError) -> RemoteApp {
        try await self.start { (channel) throws(RequestError) in
            let session = AppSession(id, options: options, on: channel, whileAsking: whileAsking)
            try channel.add(session)
            session.begin()
            return session
        }
    }

    /// Joins an app that a status lists. Joined again, it is the same connection.
    /// - Throws: ``RequestError``: `applicationNotRunning` when the app has no transport id, `disconnected`.
    public func join(_ application: ReceiverApplication) async throws(RequestError) -> RemoteApp {
        guard let transportID = application.transportID else { throw .appNotRunning(application.appID ?? "") }
        return try await self.start { (channel) throws(RequestError) in
            if let session = channel.session(at: transportID) { return session }
            let session = AppSession(joining: application, on: channel)
            try channel.add(session)
            session.adopt(application)
            return session
        }
    }

    /// Joins the app that plays media, whichever it is.
    /// - Throws: ``RequestError``: `applicationNotRunning` when there is none, and as for ``status()``.
    public func joinMediaApp() async throws(RequestError) -> RemoteApp {
        let apps = try await self.status().status?.applications ?? []
        guard let app = apps.first(where: { !$0.isIdleScreen && $0.namespaces.contains(.media) }) else {
            throw .noMediaApp
        }
        return try await self.join(app)
    }

    // MARK: The way to the event loop

    /// A start that a task waits for, for the thread on which that task is cancelled.
    private final class Start: Sendable {
        private let state = Mutex<(session: NIOLoopBound<AppSession>?, isCancelled: Bool)>((nil, false))

        /// - Returns: false when the task has been cancelled already.
        func began(_ session: NIOLoopBound<AppSession>) -> Bool {
            self.state.withLock { state in
                state.session = session
                return !state.isCancelled
            }
        }

        func cancel() {
            let session = self.state.withLock { state in
                state.isCancelled = true
                return state.session
            }
            if let session { session.eventLoop.execute { session.value.cancelStart() } }
        }
    }

    private func start(
        _ body: @escaping @Sendable (DeviceChannel) throws(RequestError) -> AppSession
    ) async throws(RequestError) -> RemoteApp {
        let channel = self.channel
        let start = Start()
        do {
            let (session, application) = try await withTaskCancellationHandler {
                try await channel.eventLoop.flatSubmit {
                    do {
                        let session = NIOLoopBound(try body(channel.value), eventLoop: channel.eventLoop)
                        if !start.began(session) { session.value.cancelStart() }
                        return session.value.started.map { (session, $0) }
                    } catch {
                        return channel.eventLoop.makeFailedFuture(error)
                    }
                }.get()
            } onCancel: {
                start.cancel()
            }
            return RemoteApp(device: self, application: application, session: session)
        } catch {
            throw Self.error(error)
        }
    }

    private func platformRequest(_ request: JSONObject) async throws(RequestError) -> ReceiverStatusPayload {
        let answer = try await self.request(request, in: .receiver, to: .platformReceiver)
        guard let json = answer.payload.jsonObject else {
            throw RequestError(.invalidResponse, "the device refuses: no JSON")
        }
        let status = ReceiverStatusPayload(json: json)
        if status.status != nil { return status }
        let words = [status.type ?? "no type", json.string("reason")].compactMap(\.self).joined(separator: ", ")
        throw RequestError(reply: json) ?? RequestError(.invalidResponse, "the device refuses: \(words)")
    }

    private func wait(
        sending payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID,
        answer: DeviceChannel.Answer, name: String, timeout: Duration?
    ) async throws(RequestError) -> CastMessage {
        try Self.check(payload)
        let channel = self.channel
        let call = DeviceChannel.Call(name, sending: payload, timeout: timeout ?? self.options.answerTimeout)
        do {
            return try await withTaskCancellationHandler {
                try await channel.eventLoop.flatSubmit {
                    channel.value.wait(for: call, in: namespace, to: endpoint, answer: answer)
                }.get()
            } onCancel: {
                call.isCancelled.withLock { $0 = true }
                channel.eventLoop.execute { channel.value.cancel(call) }
            }
        } catch {
            throw Self.error(error)
        }
    }

    /// Fails only when the event loop is gone.
    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (DeviceChannel) -> Value
    ) async throws(RequestError) -> Value {
        let channel = self.channel
        do {
            return try await channel.eventLoop.submit { body(channel.value) }.get()
        } catch {
            throw Self.error(error)
        }
    }

    private static func error(_ error: any Error) -> RequestError {
        error as? RequestError ?? .disconnected(TransportError.text(of: error))
    }

    /// Leaves room for the ids and the namespace beside the payload.
    static func check(_ payload: CastMessage.Payload) throws(RequestError) {
        let bytes = payload.bytes.readableBytes
        if bytes > MediaOutbox.payloadLimit { throw .messageTooLong(bytes: bytes) }
    }
}

/// How a sender behaves towards a device.
public struct SenderOptions: Sendable, Hashable {
    /// The id of the sending end of every virtual connection.
    public var senderID: EndpointID
    /// The name of the sender's software.
    public var userAgent: String
    /// How long TCP, TLS included, may take.
    public var connectTimeout: Duration
    /// How long an answer may take.
    public var answerTimeout: Duration
    /// How long a launch may take; devices take their time (protocol notes, 5.4).
    public var startTimeout: Duration
    /// How long to wait before a launch that another one has cancelled is tried once more (protocol notes, 9, 9).
    public var relaunchPause: Duration

    /// Takes the defaults where nothing is said: 5 s to connect, 10 s for an answer, 60 s for a launch, a pause of 1 s.
    public init(
        senderID: EndpointID = .platformSender, userAgent: String = "Castway", connectTimeout: Duration = .seconds(5),
        answerTimeout: Duration = .seconds(10), startTimeout: Duration = .seconds(60),
        relaunchPause: Duration = .seconds(1)
    ) {
        self.senderID = senderID
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.startTimeout = startTimeout
        self.relaunchPause = relaunchPause
    }
}
