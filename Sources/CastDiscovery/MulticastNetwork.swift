public import NIOCore

/// What makes browsers and publishers: the network as it is, or one that a test makes up.
public protocol MulticastNetwork: Sendable {
    /// A browser that has not begun.
    /// - Parameter interfaces: the network interfaces to listen on; empty for all.
    func makeBrowser(interfaces: [String]) -> any ServiceBrowser

    /// A publisher that has not begun.
    func makePublisher() -> any ServicePublisher

    /// A listener to announcements that has not begun; call it on the event loop.
    /// - Parameters:
    ///   - interfaces: the network interfaces to listen on; empty for all.
    ///   - eventLoop: where it lives.
    /// - Returns: nil where announcements cannot be heard apart from devices.
    func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)?

    /// Begins to connect; called once, before or after browsers and publishers are made.
    func start()

    /// Ends; everything that was made from it has ended then.
    func stop() async
}

extension MulticastNetwork {
    /// None.
    public func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)? { nil }
}
