// The network as it is.
extension AvahiConnection: MulticastNetwork {
    /// A browser that lives from the connection.
    public func makeBrowser(interfaces: [String]) -> any ServiceBrowser {
        MulticastBrowser(on: self, interfaces: interfaces)
    }

    /// A publisher that lives from the connection.
    public func makePublisher() -> any ServicePublisher {
        MulticastPublisher(on: self)
    }
}
