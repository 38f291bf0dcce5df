import CastDiscovery
import CastWire
import CastwayTestSupport
import GatewayConfig
import NIOCore
import Testing

@testable import DeviceSessions

/// Why no device is listed.
@Suite struct DiscoveryHintTests {
    private static func codes(
        _ state: DiscoveryState, denied: Int = 0, unfit: Int = 0, hasInterface: Bool = true
    ) -> [DiscoveryHint.Code] {
        DiscoveryHint.hints(
            state, hidden: HiddenDevices(denied: denied, unfit: unfit), interfaces: ["eth7"],
            hasInterface: hasInterface
        ).map(\.code)
    }

    @Test func eachReasonIsSaid() {
        #expect(Self.codes(.stopped, denied: 1) == [.notSearching])
        #expect(Self.codes(.blocked(reason: "no bus"), hasInterface: false) == [.noDaemon, .noInterface])
        #expect(Self.codes(.running, denied: 2, unfit: 1) == [.denied, .appFilter])
        #expect(Self.codes(.running) == [.nothingHeard])
    }

    @Test func devicesThatAreKeptOutAreCounted() {
        var list = DeviceList()
        let now = NIODeadline.uptimeNanoseconds(1)
        for (digit, name) in [("a", "Hall"), ("b", "Guest room"), ("c", "Attic")] {
            for sighting in Sightings.make(Character(digit), name: name) { _ = list.handle(.seen(sighting), at: now) }
        }
        #expect(list.hidden == HiddenDevices())
        _ = list.note(app: "CC1AD845", on: Sightings.id("c"), isAvailable: false)
        _ = list.configure(
            statics: [],
            filter: DeviceFilter(deny: [Glob("Guest*")], criteria: DiscoveryCriteria(apps: ["CC1AD845"])), ignored: [])
        #expect(list.devices.map(\.friendlyName) == ["Hall"])
        #expect(list.hidden == HiddenDevices(denied: 1, unfit: 1))
    }

    @Test func severalAppsAndNamespacesAreAskedFor() {
        let criteria = DiscoveryCriteria(apps: ["CC1AD845", "0F5096E8"], namespaces: ["urn:x-cast:com.example.quiz"])
        #expect(criteria.subtypes.count == 3)
    }

    @Test func whatIsKeptWithADeviceWaitsForIt() {
        var list = DeviceList()
        let now = NIODeadline.uptimeNanoseconds(1)
        #expect(list.set(attributes: ["room": "hall"], of: Sightings.id("a")).isEmpty)
        for sighting in Sightings.make("a", name: "Hall") { _ = list.handle(.seen(sighting), at: now) }
        #expect(list.devices.first?.attributes == ["room": "hall"])
        #expect(!list.set(attributes: ["room": nil], of: Sightings.id("a")).isEmpty)
        #expect(list.devices.first?.attributes == [:])
        #expect(list.devices.first?.json["attributes"] == nil)
    }
}
