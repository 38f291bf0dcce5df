package import CastDiscovery
package import CastWire
package import DeviceSessions
package import GatewayOperations
package import GatewaySettings

/// The virtual devices of the configuration and of discovery, those too that do not run.
package protocol VirtualDeviceListing: Sendable {
    /// Whether there is a virtual device of a name.
    func hasVirtualDevice(_ name: String) -> Bool
    /// The name of the virtual device that has an id.
    func virtualDevice(id: DeviceID) -> String?
    /// The capabilities that a virtual device announces; nil while it does not run.
    func capabilities(of name: String) -> DeviceCapabilities?
    /// The name that senders show.
    func shownName(of device: VirtualDeviceConfiguration) -> String
    /// The virtual devices that a caller may see.
    func list(for caller: Caller) -> VirtualDeviceListResult.Source
}

/// The virtual devices, whether they run or not.
package struct VirtualDeviceListResult: ResultRecord {
    package typealias Source = (devices: [ListedVirtualDeviceResult.Source], refused: Int, isSettling: Bool)

    package let devices = Field(
        "virtual_devices", listOf: ListedVirtualDeviceResult.self, "Those of the file first"
    ) { $0.devices }
    package let refused = Field("refused", "How many devices are heard that get none, for want of room") { $0.refused }
    package let isSettling = Field(
        "settling", "Whether the start was so short ago that devices may not have been heard yet"
    ) { $0.isSettling }

    package static let layout = ResultLayout(VirtualDeviceListResult())
}

/// A virtual device, and where it comes from.
package struct ListedVirtualDeviceResult: ResultRecord {
    package struct Source {
        package let name: String
        package let friendlyName: String
        package var listen = "-"
        package let isDiscovered: Bool
        package let state: String
        package let target: String?
        var isPassedThrough = false
        /// The memory of the device behind it; nil for one that the file has.
        package let pin: DevicePin?
        package let isAway: Bool?

        package init(
            name: String, friendlyName: String, listen: String = "-", isDiscovered: Bool, state: String,
            target: String?, isPassedThrough: Bool = false, pin: DevicePin?, isAway: Bool?
        ) {
            self.name = name
            self.friendlyName = friendlyName
            self.listen = listen
            self.isDiscovered = isDiscovered
            self.state = state
            self.target = target
            self.isPassedThrough = isPassedThrough
            self.pin = pin
            self.isAway = isAway
        }
    }

    package let name = Field("name", "Its name") { $0.name }
    package let friendlyName = Field("friendly_name", "What senders show") { $0.friendlyName }
    package let listen = Field("listen", "Where senders connect, `host:port`; `-` while it does not run") { $0.listen }
    package let origin = Field(
        "origin", "Whether the file has it, or discovery found the device", as: .word(["file", "template"])
    ) { $0.isDiscovered ? "template" : "file" }
    package let state = Field(
        "state",
        "How it is: `outside hours` while `senders.during` lets no one in, `same network` when the device behind it is in a network in "
            + "which it is to be announced",
        as: .word([
            "listening", "not listening", "announced", "away", "not running", "outside hours", "same network",
        ])
    ) { $0.state }
    package let target = Field.optional("target", "The device behind it; missing for the built-in receiver") {
        $0.target
    }
    let isPassedThrough = Field.optional(
        "passthrough", "Whether its senders are passed through to that device; missing otherwise"
    ) { $0.isPassedThrough ? true : nil }
    package let isAway = Field.optional(
        "away", "Of the template: whether it has not been heard, once it could have been"
    ) { $0.isAway }
    package let deviceID = Field.optional("device_id", "Of the template: the id that the device announces") {
        $0.pin?.id.text
    }
    let foundAt = Field.optional("found_at", "Of the template: when it was found first, in seconds since 1970") {
        $0.pin.map { Int(clamping: $0.pinnedAt) }
    }
    package let seenAt = Field.optional("seen_at", "Of the template: when it came or went last, in seconds since 1970")
    {
        $0.pin.map { Int(clamping: $0.seenAt) }
    }

    package static let layout = ResultLayout(ListedVirtualDeviceResult())
}
