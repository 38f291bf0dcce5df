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

/// What a publisher has to tell. Services go by the key under which they were given.
public enum PublishEvent: Hashable, Sendable {
    /// Nothing can be announced, for this reason; it is made up for by itself.
    case blocked(reason: String)
    /// A service is announced under this name.
    case published(key: String, instance: String)
    /// Another has taken the name, so this one is tried.
    case renamed(key: String, instance: String)
    /// A service cannot be announced, for this reason; it is tried again.
    case failed(key: String, reason: String)
}

/// A virtual device as it is announced.
public struct PublishedService: Hashable, Sendable {
    /// Where a device listens, when it does not on every address of the machine.
    public struct Place: Hashable, Sendable {
        /// The host name that stands for the address: its own, so that senders reach this address and no other.
        public let host: String
        /// The address, literal.
        public let address: String
        /// The number of the interface that has it.
        public let interface: Int32

        /// Makes a place.
        public init(host: String, address: String, interface: Int32) {
            self.host = host
            self.address = address
            self.interface = interface
        }
    }

    /// The name of the instance to begin with; ``CastService/instance(model:id:)`` makes one.
    public var instance: String
    /// The port of the Cast channel.
    public var port: Int
    /// The protocol in which it can be reached; nil for both.
    public var family: AddressFamily?
    /// Where it listens; nil for every address of the machine.
    public var place: Place?
    /// The number of the interface in which it is announced; nil for that of its place, or for all.
    public var interface: Int32?
    /// What it says of itself.
    public var record: DeviceRecord
    /// What it answers to beside the plain type, the most important first; at most 32 count. The network is not told when they change.
    public var subtypes: [ServiceSubtype]

    /// Makes a service.
    public init(
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

    /// Whether the other service can only be announced by withdrawing this one.
    func needsRebuild(for other: PublishedService) -> Bool {
        self.instance != other.instance || self.port != other.port || self.family != other.family
            || self.place != other.place || self.interface != other.interface
    }
}
