import GatewayConfig
import NIOCore

/// The network interfaces of this machine with their networks: in which of them an address lies.
package struct InterfaceTable: Sendable, Equatable {
    /// One address of an interface.
    package struct Entry: Sendable, Equatable {
        /// The interface's name.
        package let name: String
        /// The interface's number.
        package let index: Int32
        /// The address, literal.
        package let address: String
        /// The mask of its network, literal; nil when it has none.
        package let netmask: String?

        package init(name: String, index: Int32, address: String, netmask: String?) {
            self.name = name
            self.index = index
            self.address = address
            self.netmask = netmask
        }
    }

    /// The addresses, in the order in which the system has them.
    package let entries: [Entry]

    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// The interfaces as they are now.
    package static var current: InterfaceTable {
        let devices = (try? System.enumerateDevices()) ?? []
        return InterfaceTable(
            devices.compactMap { device in
                guard let address = device.address?.ipAddress else { return nil }
                return Entry(
                    name: device.name, index: Int32(clamping: device.interfaceIndex), address: address,
                    netmask: device.netmask?.ipAddress)
            })
    }

    /// The number of an interface; nil when there is none of the name, or it has no address.
    package func index(of name: String) -> Int32? {
        self.entries.first { $0.name == name }?.index
    }

    /// The interface that has an address itself; nil when none has.
    package func index(having address: String) -> Int32? {
        guard let address = IPAddress(address) else { return nil }
        return self.entries.first { IPAddress($0.address) == address }?.index
    }

    /// Whether an address lies in the network of an interface; false for what is no literal address.
    ///
    /// Every interface has the network of link-local IPv6 addresses, so one with a zone (`fe80::1%eth0`) lies in that interface alone.
    package func network(of name: String, contains address: String) -> Bool {
        if let zone = address.firstIndex(of: "%"), address[address.index(after: zone)...] != name[...] { return false }
        guard let address = IPAddress(address)?.unmapped else { return false }
        return self.entries.contains { entry in
            guard entry.name == name, let own = IPAddress(entry.address), own.bytes.count == address.bytes.count else {
                return false
            }
            guard let mask = entry.netmask.flatMap({ IPAddress($0) }), mask.bytes.count == own.bytes.count else {
                return own == address
            }
            return zip(zip(own.bytes, address.bytes), mask.bytes).allSatisfy { ($0.0 ^ $0.1) & $1 == 0 }
        }
    }
}
