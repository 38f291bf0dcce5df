public import CastWire

/// Whoever owns a ``CastConnection``. Called on the connection's event loop, in order.
public protocol CastConnectionDelegate: AnyObject {
    /// What the peer may send; nil for one whose messages are not counted. Asked once, when the channel is made.
    var inboundBudget: InboundBudget? { get }

    /// TLS stands; messages may be sent. Comes first, and at most once.
    func connectionReady(_ connection: CastConnection)

    /// A message came in. Heartbeats do not get here.
    func connection(_ connection: CastConnection, received message: CastMessage)

    /// All messages of one read were delivered; a good moment to flush.
    func connectionReadComplete(_ connection: CastConnection)

    /// The channel is gone. Comes last, exactly once, also when it never became ready.
    /// - Parameter reason: why this end closed it, or nil when the peer did.
    func connectionClosed(_ connection: CastConnection, reason: TransportError?)
}

extension CastConnectionDelegate {
    /// Nothing is counted.
    public var inboundBudget: InboundBudget? { nil }
}
