import CastTransport
public import CastWire
import NIOCore
import NIOPosix

/// A Cast device, seen from a sender.
///
///     let device = try await RemoteDevice.connect(host: "192.0.2.40")
///     let app = try await device.run(.defaultMediaReceiver)
///     try await app.send(.text(#"{"join":1}"#), in: "urn:x-cast:com.example.quiz")
///     await device.close()
public final class RemoteDevice: Sendable {
    /// The messages that answer none of this sender's requests, in order; ends with a ``SenderError`` when the channel
    /// does. Of a backlog the newest 256 are kept. Only one task may listen.
    public let messages: AsyncThrowingStream<CastMessage, any Error>
    /// How this sender behaves.
    public let options: SenderOptions

    private let link: NIOLoopBound<SenderLink>
    /// Numbers the requests on the channel.
    public let counter = RequestCounter()

    private init(
        link: NIOLoopBound<SenderLink>, options: SenderOptions,
        messages: AsyncThrowingStream<CastMessage, any Error>
    ) {
        self.link = link
        self.options = options
        self.messages = messages
    }

    /// Opens a channel, and the virtual connection to the device's platform.
    ///
    /// - Parameters:
    ///   - host: An address or a name.
    ///   - port: Where the device answers, usually 8009.
    /// - Throws: ``SenderError/unreachable(address:reason:)``.
    public static func connect(
        host: String, port: Int = 8009, options: SenderOptions = SenderOptions()
    ) async throws(SenderError) -> RemoteDevice {
        let device = try await Self.dial(host: host, port: port, options: options)
        await device.open(.platformReceiver)
        return device
    }

    /// Opens a channel on which nothing is said yet, so that the device can be asked to prove itself first. Open the
    /// virtual connection to ``CastWire/EndpointID/platformReceiver`` before anything else is asked.
    /// - Throws: ``SenderError/unreachable(address:reason:)``.
    public static func dial(
        host: String, port: Int = 8009, options: SenderOptions = SenderOptions()
    ) async throws(SenderError) -> RemoteDevice {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let (messages, continuation) = AsyncThrowingStream.makeStream(
            of: CastMessage.self, bufferingPolicy: .bufferingNewest(256))
        let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        do {
            let timeout = TimeAmount(options.connectTimeout)
            let dialer = try CastDialer(
                pipeline: CastPipeline(
                    role: .sender, heartbeat: .init(interval: .seconds(5), timeout: .seconds(15)),
                    handshakeTimeout: timeout),
                timeout: timeout)
            let link = try await eventLoop.flatSubmit {
                let link = SenderLink(eventLoop: eventLoop, options: options, messages: continuation)
                let bound = NIOLoopBound(link, eventLoop: eventLoop)
                let ready = link.whenReady()
                dialer.dial(host: host, port: port, on: eventLoop, delegate: SenderLinkOwner(link)).whenFailure {
                    error in
                    let reason = ConnectFailure.text(error)
                    bound.value.dialFailed(.unreachable(address: address, reason: reason))
                }
                return ready.map { bound }
            }.get()
            return RemoteDevice(link: link, options: options, messages: messages)
        } catch let error as SenderError {
            if case .disconnected(let reason) = error { throw .unreachable(address: address, reason: reason) }
            throw error
        } catch {
            throw .unreachable(address: address, reason: ConnectFailure.text(error))
        }
    }

    /// The DER of the certificate that the device showed on this channel; nil once the channel is gone.
    public func peerLeaf() async -> [UInt8]? {
        let link = self.link
        return try? await link.eventLoop.submit { link.value.peerLeaf }.get()
    }

    /// Opens a virtual connection, unless this sender has one to that end.
    public func open(_ endpoint: EndpointID) async {
        await self.onLoop { link in link.open(endpoint) }
    }

    /// Sends a message and waits for nothing.
    /// - Throws: ``SenderError/messageTooLong(bytes:)``.
    public func send(
        _ payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID
    ) async throws(SenderError) {
        try Self.check(payload)
        await self.onLoop { link in link.send(payload, in: namespace, to: endpoint) }
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: The request; it gets a number unless it has one.
    ///   - timeout: How long the answer may take; nil means as the options say.
    ///   - whileAsking: Called once when the device says that it asks its user about a LAUNCH.
    ///   - alsoTakes: Whether a message without a number will do as an answer.
    /// - Returns: The answer, whatever it says.
    /// - Throws: ``SenderError``: timed out, closed, disconnected, too long.
    public func request(
        _ request: JSONObject, in namespace: Namespace, to endpoint: EndpointID, timeout: Duration? = nil,
        whileAsking: @escaping @Sendable () -> Void = {},
        orTaking alsoTakes: @escaping @Sendable (_ message: CastMessage) -> Bool = { _ in false }
    ) async throws(SenderError) -> CastMessage {
        var request = request
        let given = RequestID(json: request["requestId"])
        let requestID = given.flatMap { $0 == .spontaneous ? nil : $0 } ?? self.counter.next()
        request["requestId"] = requestID.json
        let payload = CastMessage.Payload.json(request)
        try Self.check(payload)
        let waiter = SenderLinkState.Waiter(
            requestID: requestID, endpoint: endpoint, namespace: namespace, alsoTakes: alsoTakes)
        return try await self.wait(
            for: waiter, sending: payload, name: request.string("type") ?? "the request", timeout: timeout,
            whileAsking: whileAsking)
    }

    /// Sends a message and waits for the first one that comes back in its namespace.
    /// - Throws: ``SenderError``: timed out, closed, disconnected, too long.
    public func exchange(
        _ payload: CastMessage.Payload, in namespace: Namespace, to endpoint: EndpointID, timeout: Duration? = nil
    ) async throws(SenderError) -> CastMessage {
        try Self.check(payload)
        let waiter = SenderLinkState.Waiter(
            requestID: nil, endpoint: endpoint, namespace: namespace, alsoTakes: { _ in true })
        return try await self.wait(for: waiter, sending: payload, name: "the message", timeout: timeout)
    }

    /// Closes every virtual connection and the channel. What runs on the device goes on.
    public func close() async {
        let link = self.link
        try? await link.eventLoop.flatSubmit { link.value.close() }.get()
    }

    func withChannel<Result: Sendable>(
        to endpoint: EndpointID, _ body: @escaping @Sendable (RemoteAppChannel) -> Result
    ) async throws(SenderError) -> Result {
        let link = self.link
        do {
            return try await link.eventLoop.submit {
                guard let channel = link.value.channel(to: endpoint) else {
                    throw SenderError.disconnected(reason: "the channel is gone")
                }
                return body(channel)
            }.get()
        } catch let error as SenderError {
            throw error
        } catch {
            throw .disconnected(reason: "\(error)")
        }
    }

    private func wait(
        for waiter: SenderLinkState.Waiter, sending payload: CastMessage.Payload, name: String, timeout: Duration?,
        whileAsking: @escaping @Sendable () -> Void = {}
    ) async throws(SenderError) -> CastMessage {
        let link = self.link
        let timeout = timeout ?? self.options.answerTimeout
        do {
            return try await link.eventLoop.flatSubmit {
                link.value.wait(
                    for: waiter, sending: payload, name: name, timeout: timeout, whileAsking: whileAsking)
            }.get()
        } catch let error as SenderError {
            throw error
        } catch {
            throw .disconnected(reason: "\(error)")
        }
    }

    /// Fails only when the event loop is gone, and then nobody waits for the message.
    private func onLoop(_ body: @escaping @Sendable (SenderLink) -> Void) async {
        let link = self.link
        try? await link.eventLoop.submit { body(link.value) }.get()
    }

    /// Leaves room for the ids and the namespace beside the payload.
    private static func check(_ payload: CastMessage.Payload) throws(SenderError) {
        let bytes = payload.bytes.readableBytes
        if bytes > CastMessage.maximumBodyLength - 1024 { throw .messageTooLong(bytes: bytes) }
    }
}
