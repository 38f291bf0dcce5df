/// Hears of Cast devices in the network. The seam between what Castway makes of it and how it is done.
public protocol ServiceBrowser: Sendable {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, in order, on a thread of the browser's; it must be quick and not block.
    func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void)

    /// Asks for these subtypes too, and no longer for others.
    func ask(for subtypes: Set<ServiceSubtype>)

    /// Asks the network again who is there.
    func scan()

    /// Ends; nothing is told afterwards.
    func stop()
}

/// What a browser has to tell.
public enum BrowseEvent: Hashable, Sendable {
    /// Devices can be heard from now on.
    case browsing
    /// Nothing can be heard, for this reason; what was seen before may be gone by now without an event.
    case blocked(reason: String)
    /// A device was heard, or says something else than before.
    case seen(ServiceSighting)
    /// A device said goodbye or has not been heard for too long.
    case gone(ServiceSighting.Key)
    /// The devices that are there have answered, as far as the daemon can tell.
    case settled
}

/// A device as it was heard on one interface in one protocol; there may be several of one device.
public struct ServiceSighting: Hashable, Sendable {
    /// Which of them it is.
    public struct Key: Hashable, Sendable {
        /// The name of the service instance; not the device's identity, since groups change it.
        public let instance: String
        /// The number of the network interface.
        public let interface: Int32
        /// The protocol.
        public let family: AddressFamily

        /// Makes a key.
        public init(instance: String, interface: Int32, family: AddressFamily) {
            self.instance = instance
            self.interface = interface
            self.family = family
        }
    }

    /// Which sighting it is.
    public var key: Key
    /// The name of the network interface; empty when it is gone already.
    public var interfaceName: String
    /// The name of the host; on groups that of the leader.
    public var host: String
    /// The host's address without port; a link-local one with `%` and its interface.
    public var address: String
    /// The port of the Cast channel.
    public var port: Int
    /// What the device says of itself.
    public var record: DeviceRecord
    /// The subtypes that were asked for and that the device answered to.
    public var subtypes: Set<ServiceSubtype>

    /// Makes a sighting.
    public init(
        key: Key, interfaceName: String = "", host: String, address: String, port: Int, record: DeviceRecord,
        subtypes: Set<ServiceSubtype> = []
    ) {
        self.key = key
        self.interfaceName = interfaceName
        self.host = host
        self.address = address
        self.port = port
        self.record = record
        self.subtypes = subtypes
    }
}

/// The protocol in which a device was heard, and in which it is reached.
public enum AddressFamily: String, Hashable, Sendable, Comparable {
    /// IPv4.
    case ipv4
    /// IPv6.
    case ipv6

    /// IPv4 comes first.
    public static func < (left: AddressFamily, right: AddressFamily) -> Bool { left == .ipv4 && right == .ipv6 }
}
