public import NIOCore

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

    /// A listener beside the daemon, which does not tell of what it knows already.
    public func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)? {
        AnnouncementListener(interfaces: interfaces, eventLoop: eventLoop)
    }
}
