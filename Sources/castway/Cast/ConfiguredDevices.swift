import GatewayApp
import GatewayConfig
import VirtualDevices

/// The devices that `gateway.yaml` names: those of `discovery.static`, and the virtual devices of a gateway on this host.
struct ConfiguredDevices: DeviceFinder {
    /// The file; one that is missing names none.
    let path: String

    func find(_ name: String, timeout: Duration) async throws -> CastPlace? {
        guard let configuration = ConfigurationFile.load(self.path).configuration else { return nil }
        return Self.find(name, in: configuration)
    }

    static func find(_ name: String, in configuration: GatewayConfiguration) -> CastPlace? {
        let wanted = name.lowercased()
        if let device = configuration.discovery.staticDevices.first(where: { $0.name.lowercased() == wanted }) {
            return CastPlace(host: device.address.host, port: device.address.port)
        }
        let virtual = configuration.virtualDevices.first {
            $0.name.lowercased() == wanted || $0.friendlyName.lowercased() == wanted
        }
        guard let virtual, virtual.listen.port != 0 else { return nil }
        let isEverywhere = ["0.0.0.0", "::", "*", ""].contains(virtual.listen.host)
        return CastPlace(host: isEverywhere ? "127.0.0.1" : virtual.listen.host, port: virtual.listen.port)
    }
}
