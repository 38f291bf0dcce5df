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

/// A network in which nothing can be heard or announced.
public struct AbsentNetwork: MulticastNetwork, ServiceBrowser, ServicePublisher {
    private let reason: String?

    /// Makes one.
    /// - Parameter reason: why it is so, which the browser's owner is told; nil says nothing.
    public init(reason: String? = nil) {
        self.reason = reason
    }

    /// Itself.
    public func makeBrowser(interfaces: [String]) -> any ServiceBrowser { self }

    /// Itself.
    public func makePublisher() -> any ServicePublisher { self }

    /// Does nothing.
    public func start() {}

    /// Says that nothing can be heard.
    public func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void) {
        if let reason { sink(.blocked(reason: reason)) }
    }

    /// Says that nothing can be announced.
    public func start(_ sink: @escaping @Sendable (PublishEvent) -> Void) {
        if let reason { sink(.blocked(reason: reason)) }
    }

    /// Does nothing.
    public func ask(for subtypes: Set<ServiceSubtype>) {}

    /// Does nothing.
    public func scan() {}

    /// Does nothing.
    public func publish(_ service: PublishedService, as key: String) {}

    /// Does nothing.
    public func withdraw(_ key: String) {}

    /// Does nothing.
    public func stop() {}
}
