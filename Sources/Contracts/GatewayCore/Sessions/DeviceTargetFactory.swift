public import CastWire
public import NIOCore

/// Makes what stands behind one virtual device, as it is configured.
///
/// The app hands one to each virtual device; so the module of the virtual devices knows neither the built-in receiver nor
/// the relay. After a reload a new factory takes the place of the old one: either it reconfigures the target that runs, or
/// the virtual device lets it make another.
public protocol DeviceTargetFactory: Sendable {
    /// The name of the real device behind the virtual one; nil for the built-in receiver.
    var deviceName: String? { get }

    /// The ids of the apps that the configuration names, for the device's announcement.
    var apps: [AppID] { get }

    /// The event loop on which the virtual device has to live.
    /// - Parameter group: where to take one from when any will do.
    /// - Throws: ``GatewayError`` with `unknownDevice` when there is no such device.
    func eventLoop(in group: any EventLoopGroup) throws(GatewayError) -> any EventLoop

    /// Makes the target. Called on the virtual device's event loop.
    /// - Throws: ``GatewayError`` with `unknownDevice` when there is no such device.
    func makeTarget(for device: DeviceFacts, on eventLoop: any EventLoop) throws(GatewayError) -> any DeviceTarget

    /// Puts this factory's configuration in force in a target that runs. Called on the virtual device's event loop.
    /// - Parameters:
    ///   - target: what `old` made.
    ///   - device: the virtual device as it is from now on.
    /// - Returns: false when it takes another target; nothing has changed then.
    func reconfigure(_ target: any DeviceTarget, madeBy old: any DeviceTargetFactory, for device: DeviceFacts) -> Bool
}

/// Makes the target of a virtual device that relays to a real one.
public struct RelayTargetFactory: DeviceTargetFactory {
    private let name: String
    private let allowedApps: [AppID]?
    private let mirroring: MirroringSettings
    private let directory: any DeviceDirectory

    /// Makes a factory.
    /// - Parameters:
    ///   - name: the real device's name in the directory.
    ///   - allowedApps: the apps that senders may use; nil for all that the device has.
    ///   - mirroring: how the streams of mirroring senders are passed on.
    ///   - directory: where the device is found.
    public init(
        name: String, allowedApps: [AppID]?, mirroring: MirroringSettings = .off, directory: any DeviceDirectory
    ) {
        self.name = name
        self.allowedApps = allowedApps
        self.mirroring = mirroring
        self.directory = directory
    }

    /// The device's name in the directory.
    public var deviceName: String? { self.name }

    /// The apps that senders may use; none when the configuration names none.
    public var apps: [AppID] { self.allowedApps ?? [] }

    /// The event loop of the device's channel.
    public func eventLoop(in group: any EventLoopGroup) throws(GatewayError) -> any EventLoop {
        guard let eventLoop = self.directory.eventLoop(for: self.name) else { throw self.unknownDevice }
        return eventLoop
    }

    /// A relay to the device.
    public func makeTarget(
        for device: DeviceFacts, on eventLoop: any EventLoop
    ) throws(GatewayError) -> any DeviceTarget {
        guard let target = self.directory.makeTarget(for: self.name, virtualDevice: device) else {
            throw self.unknownDevice
        }
        (target as? any MirroringTarget)?.follow(self.mirroring)
        return target
    }

    /// Keeps a relay to the same device. When other apps are allowed than before, it announces its status anew, since the
    /// filter that hides apps from senders has changed.
    public func reconfigure(
        _ target: any DeviceTarget, madeBy old: any DeviceTargetFactory, for device: DeviceFacts
    ) -> Bool {
        guard let old = old as? RelayTargetFactory, old.name == self.name else { return false }
        if old.mirroring != self.mirroring { (target as? any MirroringTarget)?.follow(self.mirroring) }
        if old.allowedApps != self.allowedApps { target.announce() }
        return true
    }

    private var unknownDevice: GatewayError { GatewayError(.unknownDevice, "there is no device '\(self.name)'") }
}

/// Where relays find the real devices. Implemented by the module of the device sessions, handed over by the app.
public protocol DeviceDirectory: Sendable {
    /// The event loop on which the device's channel lives; its virtual devices live there too.
    /// - Returns: nil when there is no such device.
    func eventLoop(for device: String) -> (any EventLoop)?

    /// A target that relays to the device. Called on the device's event loop.
    /// - Returns: nil when there is no such device.
    func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)?
}
