import ControlAPI
import DeviceSessions
import GatewayConfig
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

@Suite struct DescriptorSharesTests {
    private static func configuration(hasSetup: Bool = true) -> GatewayConfiguration {
        let address = ListenAddress(host: "127.0.0.1", port: 0)
        var device = VirtualDeviceConfiguration(name: "hall", listen: address, target: .local)
        if hasSetup {
            device.setup = SetupConfiguration {
                $0.http = address
                $0.https = address
            }
        }
        return GatewayConfiguration { $0.virtualDevices = [device] }
    }

    @Test func withEnoughOfThemEverybodyGetsWhatTheFileSays() {
        let shares = DescriptorShares(Self.configuration(), eventLoops: 2, limit: 4096)
        #expect(shares.senders == 1024 && shares.setup == 128 && shares.admin == 32)
    }

    @Test(arguments: [100, 128, 256, 512, 1024]) func allTogetherTheyStayBelowTheLimit(limit: Int) {
        let configuration = Self.configuration()
        let need = DescriptorNeed(configuration, eventLoops: 2)
        let shares = DescriptorShares(need, limit: limit)
        #expect(need.withoutConnections + shares.senders + shares.setup + shares.admin <= max(limit, 91))
        #expect(shares.admin == 32)
        // HTTP takes a quarter of what senders and HTTP have between them.
        #expect(shares.setup <= max(1, shares.senders / 3 + 1))
        #expect(shares.senders >= 1 && shares.setup >= 1)
    }

    @Test func mirroredStreamsHaveSocketsOfTheirOwn() {
        let address = ListenAddress(host: "127.0.0.1", port: 0)
        func need(
            _ target: VirtualDeviceConfiguration.Target, _ udp: MirroringConfiguration.Datagrams?, devices: Int = 1
        ) -> Int {
            var device = VirtualDeviceConfiguration(name: "hall", listen: address, target: target)
            if let udp {
                var mirroring = MirroringConfiguration()
                mirroring.udp = udp
                device.mirroring = mirroring
            }
            let all = [VirtualDeviceConfiguration](repeating: device, count: devices)
            return DescriptorNeed(GatewayConfiguration { $0.virtualDevices = all }, eventLoops: 2).streams
        }
        #expect(need(.local, nil) == 0)
        #expect(need(.device("tv"), nil) == 17)
        #expect(need(.device("tv"), .off) == 0)
        #expect(need(.device("tv"), nil, devices: 100) == 513)
        #expect(need(.passthrough("tv"), nil) == 0)
        #expect(need(.passthrough("tv"), .relay) == 66)
        #expect(need(.passthrough("tv"), .relay, devices: 100) == 514)
    }

    @Test func whatIsNotThereTakesNothing() {
        var configuration = Self.configuration(hasSetup: false)
        configuration.admin = AdminConfiguration { $0.listen = .off }
        let need = DescriptorNeed(configuration, eventLoops: 2)
        #expect(need.setup == 0 && need.admin == 0)
        #expect(DescriptorShares(need, limit: 300).senders == 300 - need.withoutConnections)
    }
}
