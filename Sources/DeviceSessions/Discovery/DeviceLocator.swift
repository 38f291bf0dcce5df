public import CastWire

/// Whoever finds devices that are in no configuration, for sessions with them. Discovery does.
public protocol DeviceLocator: Sendable {
    /// Where a device is, as far as known now; empty when nobody has heard of it.
    /// - Parameter device: its id, or the name that people read.
    func addresses(of device: String) -> [DeviceAddress]

    /// Tells the address book of the device from now on, as of the targets of virtual devices.
    func follow(_ device: String)

    /// Tells of it no more.
    func unfollow(_ device: String)

    /// Takes whether a device has an app, as it said when it was asked.
    func note(app: AppID, of device: String, isAvailable: Bool)
}
