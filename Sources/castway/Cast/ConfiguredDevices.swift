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
        return CastPlace(
            host: Self.isEverywhere(virtual.listen) ? "127.0.0.1" : virtual.listen.host, port: virtual.listen.port)
    }

    /// Whether a virtual device of the configuration listens at a place.
    static func isVirtual(_ place: CastPlace, in configuration: GatewayConfiguration) -> Bool {
        let isLocal = place.host == "localhost" || place.host == "::1" || place.host.hasPrefix("127.")
        return configuration.virtualDevices.contains { device in
            device.listen.port == place.port
                && (device.listen.host == place.host
                    || isLocal && (Self.isEverywhere(device.listen) || device.listen.isLoopback))
        }
    }

    private static func isEverywhere(_ address: ListenAddress) -> Bool {
        ["0.0.0.0", "::", "*", ""].contains(address.host)
    }
}
