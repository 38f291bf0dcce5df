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
