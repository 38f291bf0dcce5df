import CastDiscovery
import DeviceSessions

/// Devices for people.
struct DeviceTable {
    /// The devices, in the order in which they are shown.
    let devices: [DiscoveredDevice]

    /// The lines to print.
    var lines: [String] {
        var rows = [["NAME", "ADDRESS", "TYPE", "MODEL", "STATUS", "ID"]]
        for device in self.devices {
            rows.append(
                [
                    device.friendlyName, device.addresses.first?.description ?? "-", device.type.rawValue,
                    device.model.isEmpty ? "-" : device.model, Self.status(of: device), device.id,
                ].map(\.printable))
        }
        return TextTable(rows: rows).lines
    }

    private static func status(of device: DiscoveredDevice) -> String {
        guard device.isAnnounced else { return "not heard" }
        guard device.status == .busy else { return "idle" }
        return device.statusText.isEmpty ? "busy" : "busy: \(device.statusText)"
    }
}
