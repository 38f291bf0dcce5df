import ControlAPI
import GatewayConfig
import Testing
import VirtualDevices

@testable import GatewayApp

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

    @Test func whatIsNotThereTakesNothing() {
        var configuration = Self.configuration(hasSetup: false)
        configuration.admin = AdminConfiguration { $0.listen = .off }
        let need = DescriptorNeed(configuration, eventLoops: 2)
        #expect(need.setup == 0 && need.admin == 0)
        #expect(DescriptorShares(need, limit: 300).senders == 300 - need.withoutConnections)
    }
}
