import GatewayCore
import GatewaySettings
import VirtualDevices

extension VirtualDevicesFeature {
    /// Tells what senders see of devices.
    /// - Parameter old: how devices were before, of which those that look the same are left out.
    static func describe(
        _ devices: [VirtualDeviceConfiguration], since old: [VirtualDeviceConfiguration] = [], to events: EventBus
    ) {
        let known = Dictionary(old.map { ($0.name, $0.device) }, uniquingKeysWith: { first, _ in first })
        for device in devices {
            if let before = known[device.name], before.friendlyName == device.friendlyName,
                before.model == device.model
            {
                continue
            }
            events.publish(
                .virtualDeviceDescribed(
                    device: device.name, friendlyName: device.friendlyName, model: device.model))
        }
    }
}
