import CastDiscovery

@testable import DeviceSessions

/// Makes sightings of devices whose ids are a digit repeated.
enum Sightings {
    static func id(_ digit: Character) -> String { String(repeating: digit, count: 32) }

    static func record(
        _ digit: Character, name: String, capabilities: DeviceCapabilities = [.videoOut, .audioOut],
        status: String = ""
    ) -> DeviceRecord? {
        DeviceID(self.id(digit)).map {
            DeviceRecord(
                id: $0, friendlyName: name, model: "Chromecast", capabilities: capabilities,
                activity: status.isEmpty ? .idle : .busy, statusText: status, iconPath: "/setup/icon.png")
        }
    }

    static func make(
        _ digit: Character, name: String, instance: String? = nil, interface: Int32 = 2,
        family: AddressFamily = .ipv4, host: String? = nil, address: String? = nil, port: Int = 8009,
        capabilities: DeviceCapabilities = [.videoOut, .audioOut], status: String = "",
        subtypes: Set<ServiceSubtype> = []
    ) -> [ServiceSighting] {
        self.record(digit, name: name, capabilities: capabilities, status: status).map { record in
            ServiceSighting(
                key: ServiceSighting.Key(
                    instance: instance ?? "Chromecast-\(self.id(digit))", interface: interface, family: family),
                interfaceName: "eth\(interface)", host: host ?? "\(digit).local",
                address: address ?? (family == .ipv4 ? "192.0.2.1" : "2001:db8::1"), port: port, record: record,
                subtypes: subtypes)
        }.map { [$0] } ?? []
    }
}

/// A list, and a copy of it that only follows the changes.
struct MirroredList {
    var list = DeviceList()
    var mirror: [DiscoveredDevice] = []
    /// What changed last, in a few letters: `+0` inserted, `~0>1` updated and moved, `-0` removed.
    var last = ""

    var names: [String] { self.list.devices.map(\.friendlyName) }
    var isEqual: Bool { self.list.devices == self.mirror }

    mutating func take(_ changes: [DeviceListChange]) {
        var words: [String] = []
        for change in changes {
            switch change {
            case .willUpdate, .didUpdate: break
            case .inserted(let device, let index):
                self.mirror.insert(device, at: index)
                words.append("+\(index)")
            case .updated(let device, let index, let newIndex):
                self.mirror.remove(at: index)
                self.mirror.insert(device, at: newIndex)
                words.append(index == newIndex ? "~\(index)" : "~\(index)>\(newIndex)")
            case .removed(_, let index):
                self.mirror.remove(at: index)
                words.append("-\(index)")
            }
        }
        self.last = words.joined(separator: " ")
    }
}
