/// What makes browsers and publishers: the network as it is, or one that a test makes up.
public protocol MulticastNetwork: Sendable {
    /// A browser that has not begun.
    /// - Parameter interfaces: the network interfaces to listen on; empty for all.
    func makeBrowser(interfaces: [String]) -> any ServiceBrowser

    /// A publisher that has not begun.
    func makePublisher() -> any ServicePublisher

    /// Begins to connect; called once, before or after browsers and publishers are made.
    func start()

    /// Ends; everything that was made from it has ended then.
    func stop() async
}
