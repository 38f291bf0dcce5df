import GatewayApp
import VirtualDevices

extension GatewayConfiguration {
    /// Nothing but the local receiver ``VirtualDeviceConfiguration/bench``.
    static var bench: GatewayConfiguration {
        GatewayConfiguration(virtualDevices: [VirtualDeviceConfiguration.bench])
    }
}
