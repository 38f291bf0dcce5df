public import CastWire
public import HandlerKit
public import Logging

/// A Cast message on its way through the gateway, with where it came from.
public struct RoutedMessage: Sendable {
    /// The message itself. Its payload is the exact bytes that came in, unless a handler rewrote it.
    public let message: CastMessage
    /// Which way it travels.
    public let direction: MessageDirection
    /// The virtual device it passes; on the leg ``MessageLeg/own`` the real one.
    public let device: DeviceFacts
    /// The sender's channel; nil for what the device says by itself, and on the leg ``MessageLeg/own``.
    public let connection: ConnectionID?
    /// The sender's address without the port, such as `192.0.2.7`; nil for what the device says.
    public let senderAddress: String?
    /// Whose connection to an app it passes.
    public var leg: MessageLeg { self.device.leg }

    /// The app behind the transport id that the message goes to or comes from, if one is known.
    public var session: SessionFacts? { self.findings?.session }
    /// The payload's type and request id, peeked without building JSON.
    public var summary: PayloadSummary { self.findings?.summary ?? PayloadSummary(peeking: self.message.payload) }

    /// The originator, if the message came neither over a sender's channel nor from the device: the API, a bridge, a plugin.
    public var origin: MessageOrigin? { self.findings?.origin }

    /// What was found out about the message. A message without handlers is never peeked into, and cheaper to copy.
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

    /// Peeks into the payload now, for every handler that asks later.
    /// - Parameter session: asked for the app, if none is known.
    mutating func peek(session: () -> SessionFacts?) {
        self.findings = Findings(session: self.session ?? session(), summary: self.summary, origin: self.origin)
    }

    /// The same message with another payload, as a handler leaves it.
    public func carrying(_ payload: CastMessage.Payload) -> RoutedMessage {
        var message = self.message
        message.payload = payload
        var carrying = RoutedMessage(
            message, direction: self.direction, device: self.device, connection: self.connection,
            senderAddress: self.senderAddress)
        if let findings {
            let summary = findings.summary.map { _ in PayloadSummary(peeking: payload) }
            carrying.findings = Findings(session: findings.session, summary: summary, origin: findings.origin)
        }
        return carrying
    }

    /// The transport id of the app that the message goes to or comes from.
    var transport: EndpointID {
        self.direction == .toReceiver ? self.message.destination : self.message.source
    }

    /// Messages of one flow keep their order, across namespaces.
    var flow: FlowKey {
        FlowKey(connection: self.connection, source: self.message.source, destination: self.message.destination)
    }
}

extension RoutedMessage {
    /// Both ends and the namespace; never the payload.
    var logMetadata: Logger.Metadata {
        var metadata = self.message.logMetadata
        metadata["direction"] = "\(self.direction.rawValue)"
        if let connection = self.connection { metadata["connection"] = "\(connection)" }
        if let type = self.summary.type { metadata["type"] = "\(type)" }
        return metadata
    }

    func logMetadata(handler: String, reason: String) -> Logger.Metadata {
        self.logMetadata.merging(["handler": "\(handler)", "reason": "\(reason)"]) { $1 }
    }
}

extension CastMessage {
    /// Both ends and the namespace; never the payload.
    public var logMetadata: Logger.Metadata {
        [
            "source": "\(self.source)", "destination": "\(self.destination)", "namespace": "\(self.namespace)",
        ]
    }
}
