public import CastWire

/// Where a router hands what it decided; implemented by the virtual device, called on its event loop.
public protocol RouterOutput: AnyObject {
    /// Hands a message to the peer: the target, or the sender or senders that it is addressed to.
    func forward(_ message: RoutedMessage)

    /// Hands a message to a sender: the end on this channel, or with destination `*` all connected to its source.
    func sendToSenders(_ message: CastMessage, connection: ConnectionID?)

    /// Hands a message to the target as if it came from a sender on this channel.
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?)

    /// The app behind a transport id, as far as known; asked when a handler is going to see the message.
    func session(at transport: EndpointID) -> SessionFacts?

    /// What runs behind the device; asked when a handler wants to know. ``RunningApps/unknown`` unless implemented.
    var running: RunningApps { get }

    /// Publishes an event.
    func emit(_ event: GatewayEvent)

    /// Called when messages were handed over outside a read of a connection, so that they leave at once.
    func flush()
}

extension RouterOutput {
    /// Nothing is known.
    public var running: RunningApps { .unknown }
}
