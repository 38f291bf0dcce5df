import GatewayConfig
import GatewaySettings
import VirtualDevices

extension VirtualDeviceConfiguration {
    /// A local receiver named `bench` on a port of the system's choice.
    static var bench: VirtualDeviceConfiguration {
        VirtualDeviceConfiguration(
            name: "bench", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local)
    }
}
