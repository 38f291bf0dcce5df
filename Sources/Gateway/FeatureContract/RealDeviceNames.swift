import CastDiscovery
import CastWire
package import DeviceSessions

/// The real devices that there are: those that the gateway keeps a channel to, and those that discovery has found.
package struct RealDeviceNames: Sendable {
    /// One of them.
    package struct Entry: Sendable {
        /// Its name in the gateway: that of its channel, or else its id.
        package let name: String
        /// What discovery knows of it; nil for one that is neither found nor written down.
        package let found: DiscoveredDevice?
        /// Whether the gateway keeps a channel to it.
        package let hasChannel: Bool
    }

    /// All of them: those with a channel first, by name.
    package let entries: [Entry]

    /// Brings both together: a channel may be to a device that discovery knows by another name.
    package init(channels: [String], found devices: [DiscoveredDevice]) {
        var owned: Set<String> = []
        let own = channels.map { name in
            let id = DeviceID(name)?.text
            let device =
                devices.first { $0.staticName == name } ?? devices.first { $0.id == name || $0.id == id }
                ?? devices.first { $0.friendlyName == name }
            if let device { owned.insert(device.id) }
            return Entry(name: name, found: device, hasChannel: true)
        }
        let others = devices.filter { !owned.contains($0.id) }.map {
            Entry(name: $0.staticName ?? $0.id, found: $0, hasChannel: false)
        }
        self.entries = own + others
    }
}
