import GatewayCore
public import NIOCore
import Synchronization
import SystemPrimitives

/// What a virtual device that runs is busy with, for the log.
public struct VirtualDeviceState: Sendable, Hashable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// The real device behind it; nil for the built-in receiver.
    public let target: String?
    /// How many senders' channels are open.
    public let senders: Int
    /// How many apps run.
    public let sessions: Int
    /// How many flows wait behind a deferred message.
    public let heldFlows: Int
    /// How many messages were refused since the device began.
    public let rejected: Int
    /// How many calls of handlers failed since the device began.
    public let handlerFailures: Int
    /// The handlers that failed too often and are not asked for a while.
    public let suspendedHandlers: [String]
}

/// The virtual devices that run now, for the watchdog of the event loops and for internal senders.
public final class RunningDevices: Sendable {
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
    func device(_ name: String) -> NIOLoopBound<VirtualDevice>? { self.entry(name)?.device }

    /// The same, to be asked something.
    func entry(_ name: String) -> Entry? { self.devices.withLock { $0.last { $0.name == name } } }

    /// The devices by name.
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

    /// Removes a device.
    func remove(_ device: VirtualDevice) {
        let id = ObjectIdentifier(device)
        self.devices.withLock { $0.removeAll { $0.id == id } }
    }
}
