import GatewayCore
package import NIOCore
import Synchronization
import SystemPrimitives

/// The load of a virtual device that runs, for the log.
package struct VirtualDeviceState: Sendable, Hashable {
    /// The name in `gateway.yaml`.
    package let name: String
    /// The real device behind it; nil for the built-in receiver.
    package let target: String?
    /// The number of senders' channels that are open.
    package let senders: Int
    /// The number of apps that run.
    package let sessions: Int
    /// The number of flows that wait behind a deferred message.
    package let heldFlows: Int
    /// The number of messages that were refused since the device began.
    package let rejected: Int
    /// The number of calls of handlers that failed since the device began.
    package let handlerFailures: Int
    /// The handlers that failed too often and are not asked for a while.
    package let suspendedHandlers: [String]
}

/// The virtual devices that run now, for the watchdog of the event loops and for internal senders.
package final class RunningDevices: Sendable {
    struct Entry: Sendable {
        fileprivate let id: ObjectIdentifier
        let name: String
        fileprivate let device: NIOLoopBound<VirtualDevice>

        /// Asks the device something on its event loop, within the patience of the caller.
        func answer<Answer: Sendable>(_ question: @escaping @Sendable (VirtualDevice) -> Answer) async -> Answer? {
            await self.device.eventLoop.answer(about: "virtual:\(self.name)") { [device] in question(device.value) }
        }
    }

    private let devices = Mutex<[Entry]>([])

    package init() {}

    /// The states of the devices of one event loop. Call it on that loop.
    ///
    /// It asks the devices and their routers themselves, so an answer shows that they are not stuck.
    package func states(on eventLoop: any EventLoop) -> [VirtualDeviceState] {
        let all = self.devices.withLock { $0.map(\.device) }
        return all.filter { $0.eventLoop === eventLoop }.map { $0.value.state }.sorted { $0.name < $1.name }
    }

    /// The device of a name; the newer one, while a reload replaces it by another.
    func device(_ name: String) -> NIOLoopBound<VirtualDevice>? { self.entry(name)?.device }

    func entry(_ name: String) -> Entry? { self.devices.withLock { $0.last { $0.name == name } } }

    var current: [Entry] {
        let all = self.devices.withLock { $0 }
        return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds a device; call it on the device's event loop.
    func add(_ device: VirtualDevice) {
        let bound = NIOLoopBound(device, eventLoop: device.eventLoop)
        self.devices.withLock { $0.append(Entry(id: ObjectIdentifier(device), name: device.facts.name, device: bound)) }
    }

    func remove(_ device: VirtualDevice) {
        let id = ObjectIdentifier(device)
        self.devices.withLock { $0.removeAll { $0.id == id } }
    }
}
