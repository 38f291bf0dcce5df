package import GatewaySettings
package import NIOCore
import VirtualDevices

/// On which event loops devices have to live when virtual devices get other targets.
///
/// A virtual device shares the event loop of its target, and its senders' channels cannot move. So a device that no
/// virtual device has relayed to goes where its first one lives; one that lives elsewhere is replaced by a new virtual
/// device of the same name, whose senders have to connect again.
package struct DevicePlacement: Sendable {
    /// The event loops of devices that must live on a certain one.
    package private(set) var eventLoops: [String: any EventLoop] = [:]
    /// The virtual devices that are replaced.
    package private(set) var replaced: Set<String> = []

    /// Places nothing anew.
    package init() {}

    /// - Parameters:
    ///   - homes: the event loops of the virtual devices that run, by name.
    ///   - deviceHome: the event loop of a device that is known already.
    package init(
        from old: [VirtualDeviceConfiguration], to new: [VirtualDeviceConfiguration], homes: [String: any EventLoop],
        deviceHome: (String) -> (any EventLoop)?
    ) {
        let before = Dictionary(old.map { ($0.name, $0.target) }, uniquingKeysWith: { first, _ in first })
        for device in new {
            // A virtual device that stays holds the device where it is.
            guard let name = device.channelName, before[device.name] == device.target else { continue }
            self.eventLoops[name] = deviceHome(name)
        }
        // Senders that end here, and those that are passed through, are different services.
        for device in new {
            guard let former = before[device.name] else { continue }
            if case .passthrough = former, device.passedName != nil { continue }
            if case .passthrough = former { self.replaced.insert(device.name) }
            if device.passedName != nil { self.replaced.insert(device.name) }
        }
        for device in new {
            guard !self.replaced.contains(device.name) else { continue }
            guard case .device(let name) = device.target, let former = before[device.name], former != device.target,
                let home = homes[device.name]
            else { continue }
            if let taken = self.eventLoops[name] {
                if taken !== home { self.replaced.insert(device.name) }
            } else {
                self.eventLoops[name] = home
            }
        }
    }
}
