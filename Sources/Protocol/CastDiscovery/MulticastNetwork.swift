package import NIOCore

/// A maker of browsers and publishers: the network as it is, or one that a test makes up.
package protocol MulticastNetwork: Sendable {
    /// A browser that has not begun.
    /// - Parameter interfaces: the network interfaces to listen on; empty for all.
    func makeBrowser(interfaces: [String]) -> any ServiceBrowser

    /// A publisher that has not begun.
    func makePublisher() -> any ServicePublisher

    /// A listener to announcements that has not begun; call it on the event loop.
    /// - Parameter interfaces: the network interfaces to listen on; empty for all.
    /// - Returns: nil where announcements cannot be heard apart from devices.
    func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)?

    /// Begins to connect; called once, before or after browsers and publishers are made.
    func start()

    /// Ends; everything that was made from it has ended then.
    func stop() async
}

extension MulticastNetwork {
    package func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)? { nil }
}

/// A network in which nothing can be heard or announced.
package struct AbsentNetwork: MulticastNetwork, ServiceBrowser, ServicePublisher {
    private let reason: String?

    /// Makes one.
    /// - Parameter reason: why it is so, which the browser's owner is told; nil says nothing.
    package init(reason: String? = nil) {
        self.reason = reason
    }

    package func makeBrowser(interfaces: [String]) -> any ServiceBrowser { self }

    package func makePublisher() -> any ServicePublisher { self }

    package func start() {}

    /// Says that nothing can be heard.
    package func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void) {
        if let reason { sink(.blocked(reason: reason)) }
    }

    /// Says that nothing can be announced.
    package func start(_ sink: @escaping @Sendable (PublishEvent) -> Void) {
        if let reason { sink(.blocked(reason: reason)) }
    }

    package func ask(for subtypes: Set<ServiceSubtype>) {}

    package func scan() {}

    package func publish(_ service: PublishedService, as key: String) {}

    package func withdraw(_ key: String) {}

    package func stop() {}
}
