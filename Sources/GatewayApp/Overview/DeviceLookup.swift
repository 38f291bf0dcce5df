import CastDiscovery
import CastWire
import DeviceSessions
import GatewayOperations

/// The real devices that there are: those that the gateway keeps a channel to, and those that discovery has found.
struct RealDeviceNames: Sendable {
    /// One of them.
    struct Entry: Sendable {
        /// Its name in the gateway: that of its channel, or else its id.
        let name: String
        /// What discovery knows of it; nil for one that is neither found nor written down.
        let found: DiscoveredDevice?
        /// Whether the gateway keeps a channel to it.
        let hasChannel: Bool
    }

    /// All of them: those with a channel first, by name.
    let entries: [Entry]

    /// Brings both together: a channel may be to a device that discovery knows by another name.
    init(channels: [String], found devices: [DiscoveredDevice]) {
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

/// A device that a caller names, for the operations on devices of both kinds.
enum NamedDevice: Sendable {
    /// A virtual device, by its name.
    case virtual(String)
    /// A real device.
    case real(RealDeviceNames.Entry)
}

extension OverviewFeature {
    /// What the input of an operation means by a device: its name in the gateway, or `virtual:NAME` or `real:NAME`; the id of a real
    /// device is as good as its name.
    /// - Throws: `unknown_device`, `ambiguous_device`, `device_not_allowed`.
    func device(_ text: String, for caller: Caller) throws(OperationProblem) -> NamedDevice {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let kind = parts.count == 2 && ["virtual", "real"].contains(parts[0]) ? parts[0] : nil
        let name = kind == nil ? text : parts[1]
        let virtual = kind == "real" ? nil : self.virtualNames.first { $0 == name }
        let id = DeviceID(name)?.text
        let real =
            kind == "virtual"
            ? nil
            : self.realDevices.first { $0.name == name || $0.found?.id == name || id != nil && $0.found?.id == id }
        if virtual != nil, real != nil {
            try caller.require(device: name)
            throw OperationProblem(
                "ambiguous_device", status: 409,
                "there are two devices '\(name)': say 'virtual:\(name)' or 'real:\(name)'")
        }
        if let virtual {
            try caller.require(device: virtual)
            return .virtual(virtual)
        }
        if let real {
            try caller.require(device: real.name)
            return .real(real)
        }
        // A caller with a few devices does not learn which others there are.
        try caller.require(device: name)
        throw .missing("unknown_device", "there is no device '\(name)'")
    }

    /// The virtual device that an input means.
    /// - Throws: `unknown_device`, `device_not_allowed`.
    func virtualDevice(_ text: String, for caller: Caller) throws(OperationProblem) -> String {
        let prefix = "virtual:"
        let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        try caller.require(device: name)
        guard self.virtualNames.contains(name) else {
            throw .missing("unknown_device", "there is no virtual device '\(name)'")
        }
        return name
    }
}

extension OperationProblemCase {
    /// An input names a device that is not there.
    static let unknownDevice = OperationProblemCase("unknown_device", 404, "there is no such device")
    /// An input names two devices.
    static let ambiguousDevice = OperationProblemCase(
        "ambiguous_device", 409, "a virtual and a real device have the name; say `virtual:NAME` or `real:NAME`")
}
