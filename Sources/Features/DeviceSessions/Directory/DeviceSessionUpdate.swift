import CastDiscovery
package import GatewayCore
package import NIOCore
import SystemPrimitives

/// The directory as it will be once a new configuration is in force; nothing is dialled and nothing hung up before.
///
/// Stands in for the directory while virtual devices prepare themselves for the new configuration.
package struct DeviceSessionUpdate: DeviceDirectory {
    let entries: [String: DeviceSessionEntry]
    let added: [DeviceSessionEntry]
    let retired: [DeviceSessionEntry]
    /// Sessions that are to dial elsewhere.
    let moved: [(entry: DeviceSessionEntry, addresses: [DeviceAddress])]
    let kept: [DeviceSessionEntry]
    /// The kept sessions that were here for a session alone.
    let adopted: [DeviceSessionEntry]
    /// The devices that their names mean, as far as the configuration says.
    let identities: [String: ExpectedDevice]
    let plan: DeviceSessionFactory.Plan
    let stopsApps: Bool

    /// The event loop of the device's channel; nil when there will be no such device.
    package func eventLoop(for device: String) -> (any EventLoop)? {
        self.entries[device]?.eventLoop
    }

    /// A relay to the device, on its event loop; nil when there will be no such device.
    package func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)? {
        self.entries[device].map { DeviceRelay(virtualDevice: virtualDevice, session: $0.session.value) }
    }
}

/// A device of the directory: its session, and the event loop on which that lives.
struct DeviceSessionEntry: Sendable {
    let name: String
    /// The addresses in the configuration; discovery may know more.
    let addresses: [DeviceAddress]
    let eventLoop: any EventLoop
    let session: NIOLoopBound<DeviceSession>
    /// True for a device that is here for its session alone, and not in the configuration.
    var isOnDemand = false

    /// Does something with the session, where it lives.
    func submit<Value: Sendable>(_ body: @escaping @Sendable (DeviceSession) -> Value) async throws -> Value {
        try await self.eventLoop.submit { body(self.session.value) }.get()
    }

    /// Asks the session something, within the patience of the caller.
    func answer<Answer: Sendable>(_ question: @escaping @Sendable (DeviceSession) -> Answer) async -> Answer? {
        await self.eventLoop.answer(about: "real:\(self.name)") { question(self.session.value) }
    }

    /// The same as ``submit(_:)``, without waiting for it.
    func execute(_ body: @escaping @Sendable (DeviceSession) -> Void) {
        self.eventLoop.execute { body(self.session.value) }
    }
}
