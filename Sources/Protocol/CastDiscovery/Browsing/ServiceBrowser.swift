/// Hears of Cast devices in the network. The seam between what Castway makes of it and how it is done.
package protocol ServiceBrowser: Sendable {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, in order, on a thread of the browser's; it must be quick and not block.
    func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void)

    /// Asks for these subtypes too, and no longer for others.
    func ask(for subtypes: Set<ServiceSubtype>)

    /// Asks the network again who is there.
    func scan()

    /// Stops; nothing is told afterwards.
    func stop()
}

/// An event of a browser.
package enum BrowseEvent: Hashable, Sendable {
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
package struct ServiceSighting: Hashable, Sendable {
    /// The identity of a sighting.
    package struct Key: Hashable, Sendable {
        /// The name of the service instance; not the device's identity, since groups change it.
        package let instance: String
        /// The index of the network interface.
        package let interface: Int32
        package let family: AddressFamily

        package init(instance: String, interface: Int32, family: AddressFamily) {
            self.instance = instance
            self.interface = interface
            self.family = family
        }
    }

    package var key: Key
    /// The name of the network interface; empty when it is gone already.
    package var interfaceName: String
    /// The name of the host; on groups that of the leader.
    package var host: String
    /// The host's address without port; a link-local one with `%` and its interface.
    package var address: String
    /// The port of the Cast channel.
    package var port: Int
    /// The device's own record.
    package var record: DeviceRecord
    /// The subtypes that were asked for and that the device answered to.
    package var subtypes: Set<ServiceSubtype>

    package init(
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
package enum AddressFamily: String, Hashable, Sendable, Comparable {
    case ipv4
    case ipv6

    /// Sorts IPv4 first.
    package static func < (left: AddressFamily, right: AddressFamily) -> Bool { left == .ipv4 && right == .ipv6 }
}
