package import CastDiscovery
import CastWire
package import DeviceSessions
package import GatewayOperations
import SystemPrimitives

/// Finds the device that a caller means, and asks whether the caller may use it. There is no other way from a caller's words to a device.
///
/// What callers may use is decided by the name that the gateway gives a device, never by what a device says of itself: an
/// operator's name, or the id of a device that is only discovered. A caller that is limited to some devices learns nothing of
/// the others, not even which there are.
package struct DeviceResolver: Sendable {
    /// A device by the one name that the gateway knows it by.
    package struct NamedDevice: Sendable, Hashable {
        package let kind: DeviceReference.Kind
        package let name: String
    }

    /// The real devices that have channels.
    package let directory: DeviceSessionDirectory
    /// The devices that are known besides.
    package let discovery: DeviceDiscovery
    /// Knows the virtual devices, those too that do not run.
    package let listing: any VirtualDeviceListing

    package init(directory: DeviceSessionDirectory, discovery: DeviceDiscovery, listing: any VirtualDeviceListing) {
        self.directory = directory
        self.discovery = discovery
        self.listing = listing
    }

    /// The device that is meant.
    /// - Throws: `unknown_device` (404); `ambiguous_device` (409) when there are several, with what to write instead;
    ///   `device_not_allowed` (403).
    package func device(_ reference: DeviceReference, for caller: Caller) throws(OperationProblem) -> NamedDevice {
        let found = self.candidates(reference).filter { caller.mayUse(device: $0.name) }
        if let device = found.first, found.count == 1 {
            CommandTrace.current?.concerns(device: device.name)
            return device
        }
        guard found.isEmpty else {
            let choices = found.map { "\($0.kind.rawValue):\($0.name)" }
            throw OperationProblem(
                "ambiguous_device", status: 409,
                "'\(reference.text)' may be \(choices.joined(separator: " or "))",
                members: ["choices": .array(choices.map { .string($0) })])
        }
        // The answer is the same whether there is such a device or not.
        try caller.require(device: reference.name)
        throw .missing("unknown_device", "there is no device '\(reference.text)'")
    }

    /// The virtual device that is meant: a real one of the same name does not count.
    /// - Throws: `unknown_device` (404), `device_not_allowed` (403); `not_virtual` (409) when only a real one goes by that.
    package func virtualDevice(_ reference: DeviceReference, for caller: Caller) throws(OperationProblem) -> NamedDevice
    {
        let virtual = self.virtual(reference).filter { caller.mayUse(device: $0.name) }
        if let device = virtual.first {
            CommandTrace.current?.concerns(device: device.name)
            return device
        }
        if self.candidates(reference).contains(where: { caller.mayUse(device: $0.name) }) {
            throw OperationProblem("not_virtual", status: 409, "'\(reference.text)' is a real device")
        }
        return try self.device(reference, for: caller)
    }

    /// What goes by a text: names of the gateway's own win over what devices say of themselves.
    private func candidates(_ reference: DeviceReference) -> [NamedDevice] {
        let name = reference.name
        var found: [NamedDevice] = []
        if reference.kind != .virtual, self.directory.hasDevice(name) { found.append(.init(kind: .real, name: name)) }
        if reference.kind != .real, self.listing.hasVirtualDevice(name) {
            found.append(.init(kind: .virtual, name: name))
        }
        guard found.isEmpty else { return found }
        let virtual = self.virtual(reference)
        return virtual.isEmpty && reference.kind != .virtual ? self.discovered(name) : virtual
    }

    /// The virtual device that goes by a name, or by an id.
    private func virtual(_ reference: DeviceReference) -> [NamedDevice] {
        let name = reference.name
        guard reference.kind != .real else { return [] }
        if self.listing.hasVirtualDevice(name) { return [.init(kind: .virtual, name: name)] }
        guard let own = DeviceID(name).flatMap(self.listing.virtualDevice(id:)) else { return [] }
        return [.init(kind: .virtual, name: own)]
    }

    /// The real devices that go by an id, or by a friendly name when none has that id.
    private func discovered(_ name: String) -> [NamedDevice] {
        let entries = self.realDevices
        let id = DeviceID(name)?.text
        if let device = entries.first(where: { $0.name == name || $0.found.map { Self.has($0, name, id) } == true }) {
            return [.init(kind: .real, name: device.name)]
        }
        return entries.filter { $0.found?.friendlyName == name }.map { .init(kind: .real, name: $0.name) }
    }

    private static func has(_ device: DiscoveredDevice, _ name: String, _ id: String?) -> Bool {
        device.id == name || device.id == id || device.uniqueID == name
    }

    /// What a device announces that it can do; nil while that is not known.
    package func capabilities(of device: NamedDevice) -> DeviceCapabilities? {
        switch device.kind {
        case .virtual: self.listing.capabilities(of: device.name)
        case .real: self.entry(device).found.flatMap { $0.record == nil ? nil : $0.capabilities }
        }
    }

    // MARK: Real devices

    /// The real devices that there are.
    package var realDevices: [RealDeviceNames.Entry] {
        RealDeviceNames(channels: self.directory.channelNames, found: self.discovery.devices).entries
    }

    /// What is known of a real device.
    package func entry(_ device: NamedDevice) -> RealDeviceNames.Entry {
        self.realDevices.first { $0.name == device.name }
            ?? RealDeviceNames.Entry(
                name: device.name, found: nil, hasChannel: self.directory.hasDevice(device.name))
    }
}
