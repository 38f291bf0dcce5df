import CastTransport
public import GatewayCore
public import NIOCore

/// What the directory will be once a new configuration is in force; nothing is dialled and nothing hung up before.
///
/// Stands in for the directory while virtual devices prepare themselves for the new configuration.
public struct DeviceSessionUpdate: DeviceDirectory {
    let entries: [String: DeviceSessionEntry]
    /// Sessions made for the update.
    let added: [DeviceSessionEntry]
    /// Sessions that have no place in it any more.
    let retired: [DeviceSessionEntry]
    /// Sessions that are to dial elsewhere.
    let moved: [(entry: DeviceSessionEntry, addresses: [DeviceAddress])]
    /// Sessions that stay.
    let kept: [DeviceSessionEntry]
    /// Those among them that were here for a session alone.
    let adopted: [DeviceSessionEntry]
    let dialer: CastDialer
    let backoff: Backoff
    let sessions: SessionsConfiguration
    let verification: DeviceVerification
    let stopsApps: Bool

    /// What all sessions follow.
    var settings: DeviceSessionSettings {
        DeviceSessionSettings(dialer: self.dialer, backoff: self.backoff, sessions: self.sessions)
    }

    /// Where the device's channel will live; nil when there will be no such device.
    public func eventLoop(for device: String) -> (any EventLoop)? {
        self.entries[device]?.eventLoop
    }

    /// A relay to the device, on its event loop; nil when there will be no such device.
    public func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)? {
        self.entries[device].map { DeviceRelay(virtualDevice: virtualDevice, session: $0.session.value) }
    }
}
