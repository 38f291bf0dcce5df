import GatewayCore
public import NIOCore
import Synchronization

/// The virtual devices that run now, for whoever watches over the gateway.
public final class RunningDevices: Sendable {
    private struct Entry {
        let id: ObjectIdentifier
        let name: String
        let device: NIOLoopBound<VirtualDevice>
    }

    private let devices = Mutex<[Entry]>([])

    /// Starts without devices.
    public init() {}

    /// What the devices of one event loop are busy with, by name. Call it on that loop.
    ///
    /// It asks the devices and their routers themselves, so an answer shows that they are not stuck.
    public func states(on eventLoop: any EventLoop) -> [VirtualDeviceState] {
        let all = self.devices.withLock { $0.map(\.device) }
        return all.filter { $0.eventLoop === eventLoop }.map { $0.value.state }.sorted { $0.name < $1.name }
    }

    /// The device of a name; the newer one, while a reload replaces it by another.
    func device(_ name: String) -> NIOLoopBound<VirtualDevice>? {
        self.devices.withLock { $0.last { $0.name == name } }?.device
    }

    /// The devices by name.
    var current: [NIOLoopBound<VirtualDevice>] {
        let all = self.devices.withLock { $0 }
        return Dictionary(all.map { ($0.name, $0.device) }, uniquingKeysWith: { $1 })
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds a device; call it on the device's event loop.
    func add(_ device: VirtualDevice) {
        let bound = NIOLoopBound(device, eventLoop: device.eventLoop)
        self.devices.withLock { $0.append(Entry(id: ObjectIdentifier(device), name: device.facts.name, device: bound)) }
    }

    /// Removes a device.
    func remove(_ device: VirtualDevice) {
        let id = ObjectIdentifier(device)
        self.devices.withLock { $0.removeAll { $0.id == id } }
    }
}
