import CastDiscovery
import DeviceSessions
import PluginKit
import Testing

@testable import GatewayApp

/// Which names of devices that are heard a plugin may not give to its own.
@Suite struct ProvidedNamesTests {
    private static let id = "0123456789abcdef0123456789abcdef"

    /// A device that is heard.
    private func heard(source: String? = nil) -> DiscoveredDevice {
        var device = DiscoveredDevice(
            id: Self.id, staticName: "Hall", addresses: [DeviceAddress(host: "192.0.2.1", port: 8009)],
            isAnnounced: true)
        device.source = source
        return device
    }

    @Test(arguments: ["Hall", "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"])
    func theNameOfAnotherDeviceIsTaken(name: String) {
        #expect(self.heard().takesName(of: ProvidedDevice(name: name, address: "192.0.2.9")))
        #expect(self.heard().takesName(of: ProvidedDevice(name: name, address: "192.0.2.1", port: 8010)))
        let other = ProvidedDevice(name: name, address: "192.0.2.9", id: "fedcba9876543210fedcba9876543210")
        #expect(self.heard().takesName(of: other))
    }

    @Test(arguments: ["Hall", "0123456789abcdef0123456789abcdef"])
    func aPluginMayMeanTheDeviceItself(name: String) {
        #expect(!self.heard().takesName(of: ProvidedDevice(name: name, address: "192.0.2.1")))
        #expect(!self.heard().takesName(of: ProvidedDevice(name: name, address: "192.0.2.9", id: Self.id)))
    }

    @Test func otherNamesAreFree() {
        #expect(!self.heard().takesName(of: ProvidedDevice(name: "annex", address: "192.0.2.9")))
        // What a plugin names is refused to others where the plugins' devices are kept.
        let named = self.heard(source: "plugin:finder")
        #expect(!named.takesName(of: ProvidedDevice(name: "Hall", address: "192.0.2.9")))
    }
}
