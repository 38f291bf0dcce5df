/// Announces virtual devices in the network. The seam between what Castway announces and how it is done.
public protocol ServicePublisher: Sendable {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, in order, on a thread of the publisher's; it must be quick and not block.
    func start(_ sink: @escaping @Sendable (PublishEvent) -> Void)

    /// Announces a service, or what has changed about it.
    /// - Parameter key: what it goes by here.
    func publish(_ service: PublishedService, as key: String)

    /// Says goodbye for a service.
    func withdraw(_ key: String)

    /// Says goodbye for all; nothing is told afterwards.
    func stop()
}
