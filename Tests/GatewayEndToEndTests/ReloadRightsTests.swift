import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// A new configuration that takes away what senders had.
@Suite(.timeLimit(.minutes(3))) struct ReloadRightsTests {
    @Test(arguments: ["hall", "foyer"])
    func sendersThatAreNotAllowedAnyMoreAreHungUp(device: String) async throws {
        try await ReloadBench.with { _, bench in
            let port = try bench.port(device)
            let ends = bench.running.gateway.events.subscribe { $0.name == "sender.disconnected" }
            try await TestSender.connect(to: port, from: "127.0.0.2") { stranger in
                _ = try await stranger.connectPlatform()
                try await TestSender.connect(to: port, from: "127.0.0.3") { guest in
                    _ = try await guest.connectPlatform()
                    let (index, range) = (try bench.index(device), try #require(AddressRange("127.0.0.3/32")))
                    let plan = try await bench.reload {
                        $0.virtualDevices[index].allowedSenders = [range]
                    }
                    #expect(plan.changes.map(\.description) == ["virtual_devices.\(device).senders.allow (hot)"])
                    try await stranger.closed()
                    for await case .senderDisconnected(_, _, let reason, _) in ends.events {
                        #expect(reason == "the address is not in senders.allow")
                        break
                    }
                    _ = try await guest.status(requestID: 11)
                }
            }
        }
    }
}
