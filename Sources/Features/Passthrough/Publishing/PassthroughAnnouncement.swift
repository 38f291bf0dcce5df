import CastDiscovery
import DeviceListening
import GatewayConfig

/// The announcement of a device that is passed through: its own id, TXT record and capabilities, under the virtual device's address
/// and port, in the networks that the operator names. IPv4 alone, so that a sender has the one address to which it was admitted.
struct PassthroughAnnouncement {
    struct Outcome: Equatable {
        /// By the keys under which they are announced: one for each network.
        var services: [String: PublishedService] = [:]
        /// The interfaces in whose network the device itself is, and is heard there already.
        var conflicts: [String] = []
        /// The interfaces that are not there.
        var missing: [String] = []
        /// The reason nothing is announced at all; nil when something may be.
        var obstacle: String?
    }

    let settings: PassthroughSettings
    let port: Int

    /// The addresses at which the device may be reached, without what may be any guest's word: addresses in networks in which it is
    /// announced from here, and addresses that were heard in these alone. A guest could name any host and port of the device's network
    /// there.
    func candidates(of device: PassedDevice?, in table: InterfaceTable) -> [DialAddress] {
        let guests = self.settings.announcing.isOn ? self.settings.announcing.interfaces : []
        return (device?.addresses ?? []).filter { address in
            if let heard = device?.hearing[address] {
                guard !heard.isSubset(of: guests), self.mayBeDevice(address.host) else { return false }
            }
            return !guests.contains { table.network(of: $0, contains: address.host) }
        }
    }

    /// True if an address that was heard can be a device's: neither one of the loopback interface, unless senders are there too, nor one of
    /// many hosts, nor none.
    private func mayBeDevice(_ host: String) -> Bool {
        if self.settings.listen.isLoopback { return true }
        guard let address = IPAddress(host)?.unmapped else { return false }
        if address.bitWidth == 32 { return ![0, 127].contains(address.bytes[0]) && address.bytes[0] < 224 }
        return address.bytes[0] != 0xFF && !address.bytes.dropLast().allSatisfy { $0 == 0 }
    }

    /// The announcement while the device is there.
    func outcome(for device: PassedDevice, in table: InterfaceTable) -> Outcome {
        var outcome = Outcome()
        outcome.obstacle = self.obstacle(for: device)
        guard outcome.obstacle == nil, let record = device.record else { return outcome }
        let reachable = self.candidates(of: device, in: table)
        for interface in self.settings.announcing.interfaces {
            guard let index = table.index(of: interface) else {
                outcome.missing.append(interface)
                continue
            }
            guard !device.addresses.contains(where: { table.network(of: interface, contains: $0.host) }) else {
                outcome.conflicts.append(interface)
                continue
            }
            guard !reachable.isEmpty else { continue }
            outcome.services["\(self.settings.name)@\(interface)"] = self.service(record, device, on: index)
        }
        return outcome
    }

    private func obstacle(for device: PassedDevice) -> String? {
        if !self.settings.announcing.isOn { return "publish is false" }
        if self.settings.listen.isLoopback { return "it listens on the loopback interface only" }
        guard IPAddress(self.settings.listen.host)?.bitWidth == 32, self.settings.listen.host != "0.0.0.0" else {
            return "it does not listen on one IPv4 address"
        }
        if device.record == nil {
            return "the device has not been heard by mDNS, so its id and its record are not known"
        }
        return nil
    }

    private func service(_ record: DeviceRecord, _ device: PassedDevice, on interface: Int32) -> PublishedService {
        var subtypes = device.subtypes
        subtypes.remove(.media)
        var service = PublishedService(
            instance: CastService.instance(model: record.model, id: record.id), port: self.port, family: .ipv4,
            place: PublishedService.Place(
                host: self.hostName, address: self.settings.listen.host, interface: interface),
            record: record,
            // Senders ask idle devices for the media namespace too (protocol notes, 1.4).
            subtypes: [.media] + subtypes.sorted { $0.label < $1.label })
        service.interface = interface
        return service
    }

    /// A name of its own, so that it never stands for the device's own addresses too.
    private var hostName: String {
        let place = "\(self.settings.name) \(self.settings.listen.host):\(self.port)"
        return "\(RecordDigest.digits(of: Array(place.utf8)).prefix(32).lowercased()).local"
    }
}
