public import CastWire
public import NIOCore

/// The conversation with one app, on the event loop of its channel: for whoever keeps the time of requests by themselves.
public final class RemoteAppChannel {
    /// Where everything of the channel happens.
    public let eventLoop: any EventLoop
    /// Where messages to the app go.
    public let transportID: EndpointID
    /// Called for each message of the app's that answers none of the requests made through ``RemoteDevice``.
    public var onMessage: ((CastMessage) -> Void)?
    /// Called once, when the app closes the conversation or the channel is gone.
    public var onEnd: ((SenderError) -> Void)?
    private weak var link: SenderLink?

    init(link: SenderLink, transportID: EndpointID, eventLoop: any EventLoop) {
        self.link = link
        self.transportID = transportID
        self.eventLoop = eventLoop
    }

    /// Sends a message to the app.
    public func send(_ payload: CastMessage.Payload, in namespace: Namespace) {
        self.link?.send(payload, in: namespace, to: self.transportID)
    }

    func ended(_ reason: SenderError) {
        let tell = self.onEnd
        self.onEnd = nil
        self.onMessage = nil
        tell?(reason)
    }
}
