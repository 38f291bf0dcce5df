import CastTransport
public import CastWire
import NIOCore

/// An app that runs on a device and that this sender is connected to.
///
/// The connection is held open: when the app closes it but still runs, it is opened again, and an app whose transport moves is
/// followed. It is over when the app is stopped or replaced, or the channel is lost; ``end()`` says why.
///
///     let app = try await device.run("ABCD1234")
///     let answers = await app.messages(in: "urn:x-cast:com.example.quiz")
///     try await app.send(.text(#"{"join":"me"}"#), in: "urn:x-cast:com.example.quiz")
///     for await answer in answers { … }
public struct RemoteApp: Sendable {
    /// The device.
    public let device: RemoteDevice
    /// The app as the device's status listed it when it was joined.
    public let application: ReceiverApplication
    private let session: NIOLoopBound<AppSession>

    init(device: RemoteDevice, application: ReceiverApplication, session: NIOLoopBound<AppSession>) {
        self.device = device
        self.application = application
        self.session = session
    }

    /// Where messages to the app went when it was joined.
    public var transportID: EndpointID { self.application.transportID ?? "" }

    /// Sends a message to the app and waits for nothing; it is lost when the app is gone.
    /// - Throws: ``RequestError`` with the code `messageTooBig`.
    public func send(_ payload: CastMessage.Payload, in namespace: Namespace) async throws(RequestError) {
        try RemoteDevice.check(payload)
        let session = self.session
        try? await session.eventLoop.submit { session.value.send(payload, in: namespace) }.get()
    }

    /// What the app says in a namespace from now on, to this sender or to all, except for answers to requests; ends with the
    /// connection to the app.
    /// - Parameter limit: How many messages may wait; of more the newest are kept.
    public func messages(in namespace: Namespace, limit: Int = 256) async -> AsyncStream<CastMessage> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CastMessage.self, bufferingPolicy: .bufferingNewest(limit))
        let session = self.session
        do {
            try await session.eventLoop.submit { session.value.listen(namespace, continuation) }.get()
        } catch {
            continuation.finish()
        }
        return stream
    }

    /// Controls what the app plays. Asked again, it is the same client, with the options of the first time.
    /// - Throws: ``RequestError`` with the code `disconnected` when the channel is gone.
    public func media(
        options: MediaClientOptions = MediaClientOptions()
    ) async throws(RequestError) -> MediaClient {
        let session = self.session
        do {
            return try await session.eventLoop.submit { try session.value.mediaClient(options) }.get()
        } catch {
            throw error as? RequestError ?? .disconnected(TransportError.text(of: error))
        }
    }

    /// Stops the app for all senders.
    /// - Throws: ``RequestError``.
    public func stop() async throws(RequestError) {
        try await self.device.stop(sessionID: self.application.sessionID)
    }

    /// Waits until the connection to the app is over.
    /// - Returns: why: `applicationNotRunning` when the app was stopped, `replaced` when another app or another session of the
    ///   same app took its place, `disconnected` when the channel is gone.
    public func end() async -> RequestError {
        let session = self.session
        do {
            return try await session.eventLoop.flatSubmit { session.value.end }.get()
        } catch {
            return .disconnected(TransportError.text(of: error))
        }
    }
}
