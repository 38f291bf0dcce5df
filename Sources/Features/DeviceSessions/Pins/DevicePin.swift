package import CastDiscovery

/// A device of the network that has a virtual device of its own, and what of that stays the same over restarts and absence.
///
/// The key is the device's id. The virtual device's certificate and own id are kept under its name, so they stay too.
package struct DevicePin: Hashable, Sendable {
    /// The id that the device announces.
    package let id: DeviceID
    /// The name of the virtual device: `auto-` and the beginning of the id.
    package let name: String
    /// The port for senders.
    package var port: Int
    /// The device's announced properties; follow it.
    package var traits: Traits
    /// The address at which it has answered last; nil when that is not known.
    package var host: String?
    /// The time when it was found first, in seconds since 1970.
    package let pinnedAt: Int64
    /// The time when it came or went last, in seconds since 1970.
    package var seenAt: Int64

    /// The properties that a virtual device takes over from the device behind it.
    package struct Traits: Hashable, Sendable {
        package let friendlyName: String
        /// The model, at most 64 bytes, without control characters.
        package let model: String
        package let capabilities: DeviceCapabilities

        /// More than devices have; what comes beyond is cut.
        private static let maximumLength = 150

        /// Makes traits; texts are made fit to be announced.
        package init(friendlyName: String, model: String, capabilities: DeviceCapabilities) {
            self.friendlyName = Self.text(friendlyName, Self.maximumLength)
            self.model = Self.text(model, 64)
            self.capabilities = capabilities
        }

        /// The traits of a listed device; nil while it has announced nothing.
        package init?(_ device: DiscoveredDevice) {
            guard let record = device.record else { return nil }
            self.init(
                friendlyName: record.friendlyName, model: record.model, capabilities: record.capabilities)
        }

        /// As many whole characters as fit, without those that end lines or move cursors.
        private static func text(_ text: String, _ limit: Int) -> String {
            var kept = ""
            var length = 0
            for character in text {
                guard character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
                else { continue }
                length += character.utf8.count
                guard length <= limit else { break }
                kept.append(character)
            }
            return kept
        }
    }

    package init(
        id: DeviceID, name: String, port: Int, traits: Traits, host: String? = nil, pinnedAt: Int64, seenAt: Int64
    ) {
        self.id = id
        self.name = name
        self.port = port
        self.traits = traits
        self.host = host
        self.pinnedAt = pinnedAt
        self.seenAt = seenAt
    }

    /// The prefix of the names of all virtual devices of discovered devices.
    package static let namePrefix = "auto-"

    /// The name for a new device: as much of its id as tells it from the others, eight characters at least.
    static func name(for id: DeviceID, among taken: Set<String>) -> String? {
        // A name has 32 characters at most.
        for length in [8, 12, 16, 20, 24, 27] {
            let name = Self.namePrefix + id.text.prefix(length)
            if !taken.contains(name) { return name }
        }
        return nil
    }
}
