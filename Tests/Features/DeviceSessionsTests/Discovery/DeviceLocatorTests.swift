import CastDiscovery
import GatewayCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import DeviceSessions

/// Devices that no configuration names, for sessions with them.
@Suite(.timeLimit(.minutes(1))) struct DeviceLocatorTests {
    @Test func whoIsFollowedIsToldOfUntilNobodyWantsIt() async throws {
        let network = ScriptedNetwork()
        let loop = NIOAsyncTestingEventLoop()
        let discovery = try await DeviceDiscovery(
            settings: DiscoverySettings(), network: network, book: network, events: EventBus(), eventLoop: loop,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await discovery.start()
        let browser = try #require(network.browsers.first)
        browser.say(.browsing)
        browser.say(Sightings.make("a", name: "Hall"))
        await loop.run()
        #expect(network.updates.isEmpty)
        #expect(discovery.addresses(of: "Hall") == [DeviceAddress(host: "192.0.2.1", port: 8009)])
        #expect(discovery.addresses(of: Sightings.id("A")) == discovery.addresses(of: "Hall"))
        #expect(discovery.addresses(of: "Cellar").isEmpty)
        #expect(discovery.category(of: "Hall") == .cast && discovery.category(of: "Cellar") == nil)
        discovery.follow("Hall")
        await loop.run()
        #expect(network.updates == [.init(device: "Hall", hosts: ["192.0.2.1"], isAnnounced: false)])
        discovery.unfollow("Hall")
        browser.say(Sightings.make("a", name: "Hall", address: "192.0.2.9"))
        await loop.run()
        #expect(network.updates.count == 1)
        try await discovery.stop()
    }
}
