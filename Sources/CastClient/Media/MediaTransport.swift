public import CastWire
public import NIOCore

/// The virtual connection to an app that a media client talks through. Lives on its event loop.
public protocol MediaTransport: AnyObject {
    /// Where everything of the connection happens.
    var eventLoop: any EventLoop { get }

    /// Sends a message to the app; it may wait for ``flush()``.
    func send(_ payload: CastMessage.Payload, in namespace: Namespace)

    /// Sends what waits.
    func flush()
}
