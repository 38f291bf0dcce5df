import CastDiscovery
import NIOCore
import Testing

@testable import DeviceSessions

struct TargetBindingsTests {
    private let now = NIODeadline.uptimeNanoseconds(1)
    private var list = DeviceList()
    private var bindings = TargetBindings()

    private mutating func see(_ sightings: [ServiceSighting]) -> [TargetBindings.Update] {
        var updates: [TargetBindings.Update] = []
        for sighting in sightings {
            _ = self.list.handle(.seen(sighting), at: self.now)
            updates += self.bindings.updates(from: self.list, announced: sighting.record.id.text)
        }
        return updates
    }

    private func update(
        _ target: String, _ hosts: [String], isAnnounced: Bool = true, showsVideo: Bool? = true,
        id: Character? = "a"
    ) -> TargetBindings.Update {
        let identity = id.flatMap { DeviceID(Sightings.id($0)) }.map { ExpectedDevice(id: $0, isGroup: false) }
        return TargetBindings.Update(
            target: target, candidates: hosts.map { DeviceAddress(host: $0, port: 8009) }, isAnnounced: isAnnounced,
            identity: identity, showsVideo: showsVideo)
    }

    @Test mutating func aTargetIsAFriendlyNameOrAnID() {
        let id = Sightings.id("b")
        self.bindings.configure(["Hall", id.uppercased(), "Nobody"])
        #expect(self.see(Sightings.make("a", name: "Hall")) == [self.update("Hall", ["192.0.2.1"])])
        #expect(
            self.see(Sightings.make("b", name: "Bath", address: "192.0.2.2"))
                == [self.update(id.uppercased(), ["192.0.2.2"], id: "b")])
    }

    @Test mutating func everyAnnouncementIsTold() {
        self.bindings.configure(["Hall"])
        _ = self.see(Sightings.make("a", name: "Hall"))
        #expect(self.bindings.updates(from: self.list) == [])
        #expect(
            self.see(Sightings.make("a", name: "Hall", status: "x")) == [self.update("Hall", ["192.0.2.1"])])
        #expect(
            self.see(Sightings.make("a", name: "Hall", address: "192.0.2.5")) == [self.update("Hall", ["192.0.2.5"])])
    }

    @Test mutating func aDeviceThatIsGoneKeepsItsLastAddress() {
        self.bindings.configure(["Hall"])
        let sightings = Sightings.make("a", name: "Hall")
        _ = self.see(sightings)
        for sighting in sightings { _ = self.list.handle(.gone(sighting.key), at: self.now) }
        _ = self.list.timePassed(at: self.now + .seconds(60))
        #expect(self.list.devices.isEmpty)
        #expect(self.bindings.updates(from: self.list) == [])
    }

    @Test mutating func aNameKeepsToItsDevice() {
        self.bindings.configure(["Hall"])
        _ = self.see(Sightings.make("b", name: "Hall"))
        // Another of the name, with a lower id.
        #expect(self.see(Sightings.make("a", name: "Hall", address: "192.0.2.9")) == [])
        // Renamed, and the other of the name is there: that is what the name means now.
        #expect(self.see(Sightings.make("b", name: "Bath")) == [self.update("Hall", ["192.0.2.9"], isAnnounced: false)])
        // Renamed, and no other device has the name.
        #expect(
            self.see(Sightings.make("a", name: "Attic", address: "192.0.2.10"))
                == [self.update("Hall", ["192.0.2.10"])])
    }

    @Test mutating func aStaticEntryIsToldWithWhatIsHeardOfIt() {
        _ = self.list.configure(
            statics: [StaticEntry(name: "room", address: DeviceAddress(host: "192.0.2.1", port: 8009))],
            filter: DeviceFilter(), ignored: [])
        self.bindings.configure(["room"])
        #expect(
            self.bindings.updates(from: self.list) == [
                self.update("room", ["192.0.2.1"], isAnnounced: false, showsVideo: nil, id: nil)
            ])
        // A name for an address means any device that is there.
        #expect(self.see(Sightings.make("a", name: "Hall")) == [self.update("room", ["192.0.2.1"], id: nil)])
        #expect(
            self.see(Sightings.make("a", name: "Hall", address: "192.0.2.8"))
                == [self.update("room", ["192.0.2.8", "192.0.2.1"], id: nil)])
    }

    @Test mutating func aStaticEntryWithAnIDMeansThatDevice() {
        let entry = StaticEntry(
            name: "room", address: DeviceAddress(host: "192.0.2.1", port: 8009), id: DeviceID(Sightings.id("a")))
        _ = self.list.configure(statics: [entry], filter: DeviceFilter(), ignored: [])
        self.bindings.configure(["room"])
        let before = self.bindings.updates(from: self.list)
        #expect(before.map(\.identity) == [entry.id.map { ExpectedDevice(id: $0) }])
        let updates = self.see(Sightings.make("b", name: "Hall"))
        #expect(updates == [])
    }
}
