import CastDiscovery
import CastWire
import DeviceSessions
import GatewayOperations
import VirtualDevices

/// Finds the device that a caller means, and asks whether the caller may use it.
///
/// What callers may use is decided by the name that the gateway gives a device, never by what a device says of itself: an
/// operator's name, or the id of a device that is only discovered. A caller that is limited to some devices learns nothing of
/// the others, not even which there are.
struct DeviceResolver: Sendable {
    /// A device by the one name that the gateway knows it by.
    struct NamedDevice: Sendable, Hashable {
        let kind: DeviceReference.Kind
        let name: String
    }

    /// The real devices that have channels.
    let directory: DeviceSessionDirectory
    /// The virtual devices that run.
    let fleet: VirtualDeviceFleet
    /// The devices that are known besides.
    let discovery: DeviceDiscovery

    /// The device that is meant.
    /// - Throws: `unknown_device` (404); `ambiguous_device` (409) when there are several, with what to write instead;
    ///   `device_not_allowed` (403).
    func device(_ reference: DeviceReference, for caller: Caller) throws(OperationProblem) -> NamedDevice {
        let found = self.candidates(reference).filter { caller.mayUse(device: $0.name) }
        if let device = found.first, found.count == 1 { return device }
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

    /// What goes by a text: names of the gateway's own win over what devices say of themselves.
    private func candidates(_ reference: DeviceReference) -> [NamedDevice] {
        let name = reference.name
        var found: [NamedDevice] = []
        if reference.kind != .virtual, self.directory.hasDevice(name) { found.append(.init(kind: .real, name: name)) }
        if reference.kind != .real, self.fleet.current[name] != nil { found.append(.init(kind: .virtual, name: name)) }
        return found.isEmpty ? self.discovered(reference) : found
    }

    private func discovered(_ reference: DeviceReference) -> [NamedDevice] {
        let name = reference.name
        if reference.kind != .real, let id = DeviceID(name)?.text,
            let own = self.fleet.current.values.first(where: { $0.deviceID.flatMap { DeviceID($0)?.text } == id })
        {
            return [.init(kind: .virtual, name: own.name)]
        }
        guard reference.kind != .virtual else { return [] }
        if let device = self.discovery.device(id: name) { return [.init(kind: .real, name: self.name(of: device))] }
        let named = Set(self.discovery.devices.filter { $0.friendlyName == name }.map { self.name(of: $0) })
        return named.sorted().map { .init(kind: .real, name: $0) }
    }

    /// The name under which a discovered device has a channel, or would get one.
    private func name(of device: DiscoveredDevice) -> String {
        if let name = device.staticName { return name }
        // A virtual device may relay to it by a form of its id.
        return self.directory.deviceNames.first { DeviceID($0)?.text == device.id } ?? device.id
    }
}
