public import CastWire

/// A Cast message on its way through the gateway, with where it came from.
public struct RoutedMessage: Sendable {
    /// The message itself. Its payload is the exact bytes that came in, unless a handler rewrote it.
    public let message: CastMessage
    /// Which way it travels.
    public let direction: MessageDirection
    /// The virtual device it passes.
    public let device: DeviceFacts
    /// The sender's channel; nil for what the device says by itself.
    public let connection: ConnectionID?
    /// The sender's address without the port, such as `192.0.2.7`; nil for what the device says.
    public let senderAddress: String?
    /// The app behind the transport id that the message goes to or comes from, if one is known.
    public var session: SessionFacts? { self.findings?.session }
    /// The payload's type and request id, peeked without building JSON.
    public var summary: PayloadSummary { self.findings?.summary ?? PayloadSummary(peeking: self.message.payload) }

    /// Who set the message off, if no sender's channel and no device brought it.
    public var origin: MessageOrigin? { self.findings?.origin }

    /// What was found out about the message. One that nobody claims is never looked into, and is copied the cheaper.
    private final class Findings: Sendable {
        let session: SessionFacts?
        let summary: PayloadSummary?
        let origin: MessageOrigin?

        init(session: SessionFacts?, summary: PayloadSummary?, origin: MessageOrigin?) {
            self.session = session
            self.summary = summary
            self.origin = origin
        }
    }

    private var findings: Findings?

    /// Puts a message on its way.
    public init(
        _ message: CastMessage, direction: MessageDirection, device: DeviceFacts, connection: ConnectionID?,
        senderAddress: String? = nil, session: SessionFacts? = nil, origin: MessageOrigin? = nil
    ) {
        self.message = message
        self.direction = direction
        self.device = device
        self.connection = connection
        self.senderAddress = senderAddress
        if session != nil || origin != nil {
            self.findings = Findings(session: session, summary: nil, origin: origin)
        }
    }

    /// Peeks now, for all who ask later.
    /// - Parameter session: asked for the app, if none is known.
    mutating func look(session: () -> SessionFacts?) {
        self.findings = Findings(session: self.session ?? session(), summary: self.summary, origin: self.origin)
    }

    /// The same journey with another message, as a filter leaves it.
    public func carrying(_ message: CastMessage) -> RoutedMessage {
        var carrying = RoutedMessage(
            message, direction: self.direction, device: self.device, connection: self.connection,
            senderAddress: self.senderAddress)
        if let findings {
            let summary = findings.summary.map { _ in PayloadSummary(peeking: message.payload) }
            carrying.findings = Findings(session: findings.session, summary: summary, origin: findings.origin)
        }
        return carrying
    }

    /// Where the app is reached that the message goes to or comes from.
    var transport: EndpointID {
        self.direction == .toReceiver ? self.message.destination : self.message.source
    }

    /// Messages of one flow keep their order, across namespaces.
    var flow: FlowKey {
        FlowKey(connection: self.connection, source: self.message.source, destination: self.message.destination)
    }
}
