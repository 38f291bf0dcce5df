import GatewayConfig
import NIOCore
import NIOEmbedded
import Passthrough
import Testing
import VirtualDevices

@testable import FeatureContract
@testable import GatewaySettings

/// Where real devices live when virtual devices get other targets.
@Suite struct DevicePlacementTests {
    private static func device(_ name: String, _ target: VirtualDeviceConfiguration.Target)
        -> VirtualDeviceConfiguration
    {
        VirtualDeviceConfiguration(name: name, listen: ListenAddress(host: "127.0.0.1", port: 0), target: target)
    }

    @Test func aDeviceThatIsObservedStaysWhereItIs() {
        let (tv, hall) = (EmbeddedEventLoop(), EmbeddedEventLoop())
        for observation in PassthroughObservation.allCases {
            var room = Self.device("room", .passthrough("tv"))
            room.observation = observation
            let placement = DevicePlacement(
                from: [room, Self.device("hall", .local)], to: [room, Self.device("hall", .device("tv"))],
                homes: ["room": EmbeddedEventLoop(), "hall": hall]
            ) { $0 == "tv" ? tv : nil }
            if observation == .none {
                #expect(placement.eventLoops["tv"] === hall)
                #expect(placement.replaced == [])
            } else {
                // The relay comes to the device, whose channel is in use.
                #expect(placement.eventLoops["tv"] === tv)
                #expect(placement.replaced == ["hall"])
            }
        }
    }
}
