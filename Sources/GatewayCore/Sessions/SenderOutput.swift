public import CastWire

/// The senders' side of a virtual device, as what it stands for sees it. Called on the device's event loop.
public protocol SenderOutput: AnyObject {
    /// Says something to one end on one channel.
    func send(_ message: CastMessage, to connection: ConnectionID)

    /// Says something to every channel that has a virtual connection to the message's source.
    func broadcast(_ message: CastMessage)

    /// Closes every virtual connection to an app that is gone: CLOSE to each sender's end.
    func closeVirtualConnections(of transport: EndpointID)

    /// Closes one virtual connection, because the device closed it.
    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage)

    /// Closes a sender's channel behind what was sent to it: there is something that it has to ask anew. One without a
    /// socket stays.
    func close(_ connection: ConnectionID, reason: String)

    /// Publishes an event.
    func emit(_ event: GatewayEvent)

    /// Called behind a series of the above that did not begin with a message of a sender.
    func flush()
}
