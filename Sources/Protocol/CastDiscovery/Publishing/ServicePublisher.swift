/// Announces virtual devices in the network. The seam between what Castway announces and how it is done.
package protocol ServicePublisher: Sendable {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, in order, on a thread of the publisher's; it must be quick and not block.
    func start(_ sink: @escaping @Sendable (PublishEvent) -> Void)

    /// Announces a service, or what has changed about it.
    /// - Parameter key: what it goes by here.
    func publish(_ service: PublishedService, as key: String)

    func withdraw(_ key: String)

    /// Says goodbye for all; nothing is told afterwards.
    func stop()
}

/// An event of a publisher. Services go by the key under which they were given.
package enum PublishEvent: Hashable, Sendable {
    /// Nothing can be announced, for this reason; it is made up for by itself.
    case blocked(reason: String)
    case published(key: String, instance: String)
    /// Another has taken the name, so this one is tried.
    case renamed(key: String, instance: String)
    /// A service cannot be announced, for this reason; it is tried again.
    case failed(key: String, reason: String)
}

/// A virtual device as it is announced.
package struct PublishedService: Hashable, Sendable {
    /// The place where a device listens, when it does not on every address of the machine.
    package struct Place: Hashable, Sendable {
        /// The host name that stands for the address: its own, so that senders reach this address and no other.
        package let host: String
        /// The address, literal.
        package let address: String
        /// The index of the interface that has it.
        package let interface: Int32

        package init(host: String, address: String, interface: Int32) {
            self.host = host
            self.address = address
            self.interface = interface
        }
    }

    /// The name of the instance to begin with; ``CastService/instance(model:id:)`` makes one.
    package var instance: String
    /// The port of the Cast channel.
    package var port: Int
    /// The protocol in which it can be reached; nil for both.
    package var family: AddressFamily?
    /// The place where it listens; nil for every address of the machine.
    package var place: Place?
    /// The number of the interface in which it is announced; nil for that of its place, or for all.
    package var interface: Int32?
    /// The device's own record.
    package var record: DeviceRecord
    /// The subtypes beside the plain type, the most important first; at most 32 count. The network is not told when they change.
    package var subtypes: [ServiceSubtype]

    package init(
        instance: String, port: Int, family: AddressFamily? = nil, place: Place? = nil, record: DeviceRecord,
        subtypes: [ServiceSubtype] = [.media]
    ) {
        self.instance = instance
        self.port = port
        self.family = family
        self.place = place
        self.record = record
        self.subtypes = subtypes
    }

    /// True if the other service can only be announced by withdrawing this one.
    func needsRebuild(for other: PublishedService) -> Bool {
        self.instance != other.instance || self.port != other.port || self.family != other.family
            || self.place != other.place || self.interface != other.interface
    }
}
