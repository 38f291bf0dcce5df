/// A network in which nobody is heard and nothing can be announced.
public struct AbsentNetwork: MulticastNetwork, ServiceBrowser, ServicePublisher {
    private let reason: String?

    /// Makes one.
    /// - Parameter reason: why it is so, for those who ask; nil says nothing.
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
