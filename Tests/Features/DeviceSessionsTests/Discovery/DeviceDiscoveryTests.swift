import CastDiscovery
import CastWire
import Dispatch
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import DeviceSessions

@Suite(.timeLimit(.minutes(1)))
struct DeviceDiscoveryTests {
    private let network = ScriptedNetwork()
    private let events = EventBus()
    private let loop = NIOAsyncTestingEventLoop()

    private func make(_ settings: DiscoverySettings = DiscoverySettings()) async throws -> DeviceDiscovery {
        try await DeviceDiscovery(
            settings: settings, network: self.network, book: self.network, events: self.events, eventLoop: self.loop,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func browser(_ number: Int = 0) throws -> ScriptedNetwork.Browser {
        try #require(self.network.browsers.indices.contains(number) ? self.network.browsers[number] : nil)
    }

    @Test func whatIsHeardIsListedAndTold() async throws {
        let discovery = try await self.make(DiscoverySettings(targets: ["Hall"]))
        let subscription = self.events.subscribe()
        #expect(discovery.state == .stopped)
        try await discovery.start()
        #expect(discovery.state == .starting)
        let browser = try self.browser()
        browser.say(.browsing)
        browser.say(Sightings.make("a", name: "Hall"))
        browser.say(Sightings.make("b", name: "Bath", address: "192.0.2.2"))
        await self.loop.run()
        #expect(discovery.state == .running)
        #expect(discovery.devices.map(\.friendlyName) == ["Bath", "Hall"])
        #expect(discovery.device(at: 1)?.friendlyName == "Hall")
        #expect(discovery.device(at: 2) == nil)
        #expect(discovery.hasDevices)
        #expect(discovery.device(id: Sightings.id("A"))?.friendlyName == "Hall")
        #expect(self.network.updates == [.init(device: "Hall", hosts: ["192.0.2.1"], isAnnounced: true)])
        try await discovery.stop()
        #expect(browser.isStopped)
        #expect(discovery.devices.isEmpty)
        var names: [String] = []
        for await event in subscription.events {
            names.append(event.name)
            if case .discoveryStopped = event { break }
        }
        let change = ["device.list_will_update", "device.inserted", "device.list_did_update"]
        #expect(
            names == ["discovery.started"] + change + change + [
                "device.list_will_update", "device.removed", "device.removed", "device.list_did_update",
                "discovery.stopped",
            ])
    }

    /// However often plugins name devices while the event loop is busy, it takes the last list alone.
    @Test func theNewestDevicesOfPluginsAreTakenOnce() async throws {
        let discovery = try await self.make()
        let subscription = self.events.subscribe()
        let busy = DispatchSemaphore(value: 0)
        self.loop.execute { busy.wait() }
        for number in 1...1000 {
            let address = DeviceAddress(host: "192.0.2.1", port: number)
            discovery.provide([StaticEntry(name: "room", address: address, source: "plugin:finder")])
        }
        busy.signal()
        await self.loop.run()
        #expect(discovery.devices.map { $0.addresses.map(\.port) } == [[1000]])
        discovery.provide([])
        await self.loop.run()
        #expect(discovery.devices.isEmpty)
        var changes: [String] = []
        for await event in subscription.events {
            changes.append(event.name)
            if case .deviceRemoved = event { break }
        }
        #expect(changes.filter { $0 == "device.inserted" }.count == 1)
        #expect(!changes.contains("device.updated"))
    }

    @Test func aBlockedDiscoverySaysSoAndKeepsStaticEntries() async throws {
        let entry = StaticEntry(name: "room", address: DeviceAddress(host: "192.0.2.1", port: 8009))
        let discovery = try await self.make(DiscoverySettings(statics: [entry]))
        let subscription = self.events.subscribe()
        try await discovery.start()
        try self.browser().say(.blocked(reason: "no daemon"), .blocked(reason: "no daemon"))
        await self.loop.run()
        #expect(discovery.state == .blocked(reason: "no daemon"))
        #expect(discovery.devices.map(\.friendlyName) == ["room"])
        #expect(self.network.updates == [.init(device: "room", hosts: ["192.0.2.1"], isAnnounced: false)])
        try self.browser().say(.browsing)
        await self.loop.run()
        #expect(discovery.state == .running)
        var seen: [GatewayEvent] = []
        for await event in subscription.events {
            seen.append(event)
            if seen.count == 2 { break }
        }
        #expect(
            seen == [.discoveryBlocked(category: "cast", reason: "no daemon"), .discoveryStarted(category: "cast")])
    }

    @Test func whatAnEndedBrowserSaysIsNotHeard() async throws {
        let discovery = try await self.make()
        try await discovery.start()
        let old = try self.browser()
        try await discovery.stop()
        try await discovery.start()
        old.say(.browsing)
        old.say(Sightings.make("a", name: "Hall"))
        await self.loop.run()
        #expect(discovery.devices.isEmpty)
        #expect(discovery.state == .starting)
        try self.browser(1).say(Sightings.make("b", name: "Bath"))
        await self.loop.run()
        #expect(discovery.devices.map(\.friendlyName) == ["Bath"])
    }

    @Test func aLostDeviceGoesWhenItsTimeIsOver() async throws {
        let discovery = try await self.make()
        try await discovery.start()
        let sightings = Sightings.make("a", name: "Hall")
        let browser = try self.browser()
        browser.say(sightings)
        for sighting in sightings { browser.say(.gone(sighting.key)) }
        await self.loop.run()
        #expect(discovery.devices.map(\.isAnnounced) == [false])
        await self.loop.advanceTime(by: .milliseconds(2999))
        #expect(discovery.devices.count == 1)
        await self.loop.advanceTime(by: .milliseconds(1))
        #expect(discovery.devices.isEmpty)
    }

    @Test func anActiveScanAsksNowAndThen() async throws {
        let discovery = try await self.make()
        try await discovery.start()
        let browser = try self.browser()
        browser.say(.browsing)
        await self.loop.advanceTime(by: .seconds(60))
        #expect(browser.scans == 0)
        try await discovery.setPassive(false)
        await self.loop.advanceTime(by: .seconds(20))
        #expect(browser.scans == 2)
        try await discovery.scan()
        #expect(browser.scans == 3)
        try await discovery.setPassive(true)
        await self.loop.advanceTime(by: .seconds(60))
        #expect(browser.scans == 3)
    }

    @Test func aDeviceIsFoundWhenItComes() async throws {
        let discovery = try await self.make()
        try await discovery.start()
        let browser = try self.browser()
        async let byID = discovery.find(Sightings.id("A"), timeout: .seconds(10))
        async let byName = discovery.find("Hall", timeout: .seconds(10))
        async let nobody = discovery.find("Nobody", timeout: .seconds(10))
        // Each search asks the network.
        while browser.scans < 3 { await self.loop.run() }
        browser.say(Sightings.make("a", name: "Hall"))
        await self.loop.run()
        #expect(await byID?.friendlyName == "Hall")
        #expect(await byName?.id == Sightings.id("a"))
        await self.loop.advanceTime(by: .seconds(10))
        #expect(await nobody == nil)
        #expect(await discovery.find("Hall", timeout: .seconds(1))?.friendlyName == "Hall")
    }

    @Test func aSearchEndsWithItsTaskAndWithDiscovery() async throws {
        let discovery = try await self.make()
        try await discovery.start()
        let browser = try self.browser()
        let cancelled = await withTaskGroup(of: DiscoveredDevice?.self) { group in
            group.addTask { await discovery.find("Nobody", timeout: .seconds(10)) }
            while browser.scans < 1 { await self.loop.run() }
            group.cancelAll()
            await self.loop.run()
            return await group.next()
        }
        #expect(cancelled == .some(nil))
        // A search that was cancelled before it began asks nothing of the network.
        let tooLate = await withTaskGroup(of: DiscoveredDevice?.self) { group in
            group.cancelAll()
            group.addTask { await discovery.find("Nobody", timeout: .seconds(10)) }
            return await group.next()
        }
        #expect(tooLate == .some(nil))
        async let stopped = discovery.find("Nobody", timeout: .seconds(10))
        while browser.scans < 2 { await self.loop.run() }
        try await discovery.stop()
        #expect(await stopped == nil)
    }

    @Test func anotherConfigurationIsTakenWhileItRuns() async throws {
        let discovery = try await self.make()
        try await discovery.start()
        let browser = try self.browser()
        browser.say(.browsing)
        browser.say(Sightings.make("a", name: "Hall"))
        browser.say(Sightings.make("b", name: "Guest TV", address: "192.0.2.2"))
        await self.loop.run()
        var settings = DiscoverySettings(filter: DeviceFilter(deny: [Glob("Guest *")]), targets: ["Hall"])
        settings.filter.criteria.apps = ["CC1AD845"]
        try await discovery.configure(settings)
        #expect(discovery.devices.map(\.friendlyName) == ["Hall"])
        #expect(browser.subtypes.map(\.label) == ["_CC1AD845"])
        #expect(self.network.updates.map(\.device) == ["Hall"])
        discovery.note(app: "CC1AD845", on: Sightings.id("a"), isAvailable: false)
        await self.loop.run()
        #expect(discovery.devices.isEmpty)
        settings.interfaces = ["eth1"]
        try await discovery.configure(settings)
        #expect(browser.isStopped)
        #expect(try self.browser(1).interfaces == ["eth1"])
        settings.isEnabled = false
        try await discovery.configure(settings)
        #expect(try self.browser(1).isStopped)
        #expect(discovery.state == .stopped)
        settings.isEnabled = true
        try await discovery.configure(settings)
        #expect(self.network.browsers.count == 3)
    }
}
