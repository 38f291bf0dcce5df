public import NIOCore
import Synchronization

/// The virtual devices that run now, for whoever watches over the gateway.
public final class RunningDevices: Sendable {
    private let devices = Mutex<[ObjectIdentifier: NIOLoopBound<VirtualDevice>]>([:])

    /// Starts without devices.
    public init() {}

    /// What the devices of one event loop are busy with, by name. Call it on that loop.
    ///
    /// It asks the devices and their routers themselves, so an answer shows that they are not stuck.
    public func states(on eventLoop: any EventLoop) -> [VirtualDeviceState] {
        let all = self.devices.withLock { Array($0.values) }
        return all.filter { $0.eventLoop === eventLoop }.map { $0.value.state }.sorted { $0.name < $1.name }
    }

    /// Adds a device; call it on the device's event loop.
    func add(_ device: VirtualDevice) {
        let bound = NIOLoopBound(device, eventLoop: device.eventLoop)
        self.devices.withLock { $0[ObjectIdentifier(device)] = bound }
    }

    /// Removes a device.
    func remove(_ device: VirtualDevice) {
        self.devices.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(device)) }
    }
}
