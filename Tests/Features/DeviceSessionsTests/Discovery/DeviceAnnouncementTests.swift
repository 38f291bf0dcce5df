import CastClient
import CastDiscovery
import CastWire
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import DeviceSessions

/// Devices that say what is known already: only that they are there is news.
@Suite(.timeLimit(.minutes(1)))
struct DeviceAnnouncementTests {
    private let network = ScriptedNetwork()
    private let loop = NIOAsyncTestingEventLoop()

    private func start(_ settings: DiscoverySettings, listens: Bool = true) async throws -> DeviceDiscovery {
        let discovery = try await DeviceDiscovery(
            settings: settings, network: self.network, book: self.network, events: EventBus(), listens: listens,
            eventLoop: self.loop, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await discovery.start()
        return discovery
    }

    private func hear(_ sightings: [ServiceSighting]) async throws {
        try #require(self.network.browsers.last).say(sightings)
        await self.loop.run()
    }

    private func announce(_ instance: String, from address: String = "192.0.2.1", port: Int? = nil) async throws {
        let listener = try #require(self.network.listeners.last)
        try await self.loop.submit {
            listener.value.sink?(.announced(Announcement(instance: instance, address: address, port: port)))
        }.get()
    }

    @Test func theBookIsToldOfADeviceThatSaysNothingNew() async throws {
        _ = try await self.start(DiscoverySettings(targets: ["Hall", Sightings.id("a"), "Bath"]))
        try await self.hear(Sightings.make("a", name: "Hall", instance: "Chromecast-Hall"))
        try await self.hear(Sightings.make("b", name: "Bath", address: "192.0.2.2"))
        let before = self.network.updates.count
        try await self.announce("CHROMECAST-hall")
        #expect(
            Array(self.network.updates[before...]) == [
                .init(device: "Hall", hosts: ["192.0.2.1"], isAnnounced: true),
                .init(device: Sightings.id("a"), hosts: ["192.0.2.1"], isAnnounced: true),
            ])
        // Each time anew.
        try await self.announce("chromecast-hall")
        #expect(self.network.updates.count == before + 4)
    }

    /// The daemon takes a second to believe it.
    @Test func aNewAddressIsToldAtOnceAndTriedFirst() async throws {
        _ = try await self.start(DiscoverySettings(targets: ["Hall"]))
        try await self.hear(Sightings.make("a", name: "Hall", instance: "hall"))
        let before = self.network.updates.count
        try await self.announce("hall", from: "192.0.2.9", port: 8009)
        try await self.announce("hall", from: "192.0.2.1", port: 8009)
        try await self.announce("hall", from: "192.0.2.10")
        #expect(
            Array(self.network.updates[before...]) == [
                .init(device: "Hall", hosts: ["192.0.2.9", "192.0.2.1"], isAnnounced: true),
                .init(device: "Hall", hosts: ["192.0.2.1"], isAnnounced: true),
                .init(device: "Hall", hosts: ["192.0.2.1"], isAnnounced: true),
            ])
    }

    @Test func theBookIsToldWhoShowsVideoAndWhatToAskFor() async throws {
        var settings = DiscoverySettings(
            filter: DeviceFilter(criteria: DiscoveryCriteria(apps: ["CC1AD845"])), targets: ["Hall", "Nobody"])
        let discovery = try await self.start(settings)
        #expect(self.network.wantedApps.last == ["CC1AD845"])
        try await self.hear(Sightings.make("a", name: "Hall"))
        #expect(self.network.showsVideo == ["Hall": true])
        let before = self.network.updates.count
        try await self.hear(Sightings.make("a", name: "Hall", capabilities: [.audioOut]))
        #expect(self.network.showsVideo == ["Hall": false])
        #expect(self.network.updates.count == before + 1)
        settings.filter = DeviceFilter()
        try await discovery.configure(settings)
        #expect(self.network.wantedApps.last == [])
    }

    @Test func whoIsNotListedOrNoTargetIsNotTold() async throws {
        let own = try #require(DeviceID(Sightings.id("c")))
        let filter = DeviceFilter(deny: [Glob("Guest *")])
        let discovery = try await self.start(
            DiscoverySettings(filter: filter, ignored: [own], targets: ["Own", "Guest TV", "Hall"]))
        try await self.hear(Sightings.make("a", name: "Bath", instance: "bath"))
        try await self.hear(Sightings.make("b", name: "Guest TV", instance: "guest"))
        try await self.hear(Sightings.make("c", name: "Own", instance: "own"))
        let hall = Sightings.make("d", name: "Hall", instance: "hall")
        try await self.hear(hall)
        let before = self.network.updates.count
        for instance in ["bath", "guest", "own", "nobody"] { try await self.announce(instance) }
        #expect(self.network.updates.count == before)
        try await self.announce("hall")
        #expect(self.network.updates.count == before + 1)
        // A name goes with its last sighting.
        let browser = try #require(self.network.browsers.last)
        for sighting in hall { browser.say(.gone(sighting.key)) }
        await self.loop.run()
        try await self.announce("hall")
        #expect(self.network.updates.count == before + 1)
        #expect(discovery.devices.map(\.friendlyName) == ["Bath", "Hall"])
    }

    @Test func itIsListenedWhileDevicesAreSearchedFor() async throws {
        var settings = DiscoverySettings(interfaces: ["eth1"])
        let discovery = try await self.start(settings)
        let first = try #require(self.network.listeners.first)
        let (interfaces, isListening) = try await self.loop.submit {
            (first.value.interfaces, first.value.sink != nil)
        }.get()
        #expect(interfaces == ["eth1"] && isListening)
        settings.interfaces = ["eth2"]
        try await discovery.configure(settings)
        #expect(self.network.listeners.count == 2)
        #expect(try await self.loop.submit { first.value.sink == nil }.get())
        settings.isEnabled = false
        try await discovery.configure(settings)
        let second = try #require(self.network.listeners.last)
        #expect(try await self.loop.submit { second.value.sink == nil }.get())
        #expect(self.network.listeners.count == 2)
    }

    @Test func whoNeedsNoneHasNoListener() async throws {
        _ = try await self.start(DiscoverySettings(targets: ["Hall"]), listens: false)
        #expect(self.network.listeners.isEmpty)
    }
}
