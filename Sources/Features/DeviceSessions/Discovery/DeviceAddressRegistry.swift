package import CastDiscovery
package import CastWire
package import GatewayCore

/// Takes what discovery learns of devices: implemented by ``DeviceSessionDirectory``. Called from any thread; never blocks.
package protocol DeviceAddressRegistry: Sendable {
    /// Takes the addresses at which a device may be reached now.
    /// - Parameters:
    ///   - device: the name under which the directory knows the device.
    ///   - candidates: its addresses, best first; none when it is not known where it is.
    ///   - isAnnounced: whether the device has just made itself heard, so that dialling it is worth while now.
    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool)

    /// Takes which device is meant by a name, before its addresses; nil when any that answers at its address is.
    func note(identity: ExpectedDevice?, of device: String)

    /// Takes whether a device announces that it shows video, which its certificates may contradict; nil when it announces
    /// nothing.
    func note(showsVideo: Bool?, of device: String)

    /// Takes which apps each device is to be asked for when its channel stands; none for no question.
    func ask(for apps: [AppID])
}

/// Finds devices that are in no configuration, for sessions with them: implemented by ``DeviceDiscovery``.
package protocol DeviceLocator: Sendable {
    /// The addresses of a device, as far as known now; empty when unknown.
    /// - Parameter device: its id, or the name that people read.
    func addresses(of device: String) -> [DeviceAddress]

    /// The identity of the device that a name means, as far as known now; nil when it is unknown, or any that answers at its
    /// address is meant.
    /// - Parameter device: as for ``addresses(of:)``.
    func identity(of device: String) -> ExpectedDevice?

    /// The category of a device; nil when it is not listed now.
    /// - Parameter device: its id, the name that people read, or that of its static entry.
    func category(of device: String) -> DeviceCategory?

    /// Tells the address book of the device from now on, as of the targets of virtual devices.
    func follow(_ device: String)

    /// Stops following a device.
    func unfollow(_ device: String)

    /// Takes whether a device has an app, as it said when it was asked.
    func note(app: AppID, of device: String, isAvailable: Bool)
}
