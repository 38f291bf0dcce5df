import GatewayConfig
import GatewaySettings
import VirtualDevices

extension GatewayConfiguration {
    /// Nothing but the local receiver ``VirtualDeviceConfiguration/bench``.
    static var bench: GatewayConfiguration {
        GatewayConfiguration { $0.virtualDevices = [VirtualDeviceConfiguration.bench] }
    }
}
