import CastWire
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import VirtualDevices

@Suite struct VirtualDeviceDescriptionTests {
    private static let uuid = "01234567-89AB-cdef-0123-456789abcdef"

    private let settings = VirtualDeviceSettings(name: "bench", listen: ListenAddress(host: "127.0.0.1", port: 0)) {
        $0.friendlyName = "Test screen"
    }
    private let identity = ReceiverIdentity(uuid: Self.uuid, address: "192.0.2.7", startedAt: .uptimeNanoseconds(0))

    private func info(at now: NIODeadline) -> EurekaInfo {
        EurekaInfo(configuration: self.settings, identity: self.identity, now: now)
    }

    @Test func tellsWhoItIs() {
        let description = VirtualDeviceDescription(configuration: self.settings, identity: self.identity)
        #expect(
            description.deviceInformation(requestID: 3) == [
                "type": "DEVICE_INFO", "requestId": 3, "deviceId": "0123456789abcdef0123456789abcdef",
                "deviceModel": "Chromecast", "friendlyName": "Test screen", "deviceCapabilities": 4101,
                "deviceIconUrl": "", "controlNotifications": 1, "receiverMetricsId": "", "wifiProximityId": "",
            ])
        #expect(description.hasScreen)
        var speaker = self.settings
        speaker.capabilities = 4
        #expect(!VirtualDeviceDescription(configuration: speaker, identity: self.identity).hasScreen)
    }

    @Test func tellsItsSetup() {
        let description = VirtualDeviceDescription(configuration: self.settings, identity: self.identity)
        let usual = description.setupAnswer(to: SetupPayload(json: ["type": "eureka_info", "request_id": 4]))
        #expect(usual.json.object("data")?.members.map(\.name) == ["build_info", "device_info", "name", "version"])
        let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        #expect(
            self.info(at: now).body(params: ["name", "uptime", "nonsense"]) == ["name": "Test screen", "uptime": 1000])
    }

    @Test func eurekaInfoHasWhatSendersNeed() throws {
        let info = self.info(at: .uptimeNanoseconds(12_340_000_000))
        let device = try #require(info.body(params: ["device_info"]).object("device_info"))
        #expect(device.string("ssdp_udn") == "01234567-89ab-cdef-0123-456789abcdef")
        #expect(device.string("model_name") == "Chromecast")
        #expect(device.string("manufacturer")?.isEmpty == false)
        #expect(device.object("capabilities")?.bool("display_supported") == true)
        #expect(device.object("capabilities")?.bool("multizone_supported") == false)
        #expect(device.string("mac_address") == "02:01:23:45:67:89")
        #expect(info.body(params: ["multizone"]).object("multizone")?.array("groups") == [])

        let usual = info.body(params: nil)
        #expect(usual["device_info"] == nil)
        #expect(usual["multizone"] == nil)
        #expect(usual.string("name") == "Test screen")
        #expect(usual.string("ip_address") == "192.0.2.7")
        #expect(usual.double("uptime") == 12.34)
        #expect(usual.int("setup_state") == 60)
        #expect(info.body(params: []).isEmpty)
    }

    @Test func aClockBehindTheStartIsNoUptime() {
        let identity = ReceiverIdentity(uuid: "odd", startedAt: .uptimeNanoseconds(50))
        let info = EurekaInfo(configuration: self.settings, identity: identity, now: .uptimeNanoseconds(20))
        #expect(info.body(params: ["uptime", "mac_address"]) == ["mac_address": "02:00:00:00:00:00", "uptime": 0])
        #expect(identity.udn == "odd")
    }
}
