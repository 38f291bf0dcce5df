import NIOCore
import Testing

@testable import CastDiscovery

struct ListeningPlacesTests {
    private func place(_ name: String, _ number: Int, _ family: AddressFamily = .ipv4) -> ListeningPlace {
        ListeningPlace(interfaceName: name, interface: number, family: family)
    }

    @Test func whatComesIsOpenedOnceAndWhatGoesIsClosed() {
        var places = ListeningPlaces(interfaces: [])
        let both = [self.place("eth0", 2), self.place("eth0", 2, .ipv6)]
        let first = places.update(both + both)
        #expect(first.open.map(\.place) == both && first.close.isEmpty)
        #expect(places.update(both).open.isEmpty)
        let second = places.update([self.place("eth0", 2), self.place("wlan0", 3)])
        #expect(second.open.map(\.place) == [self.place("wlan0", 3)])
        #expect(second.close == [first.open[1]])
        #expect(!places.contains(first.open[1]))
    }

    @Test func anInterfaceOfTheSameNameIsAnother() {
        var places = ListeningPlaces(interfaces: [])
        let old = places.update([self.place("eth0", 2)]).open
        let update = places.update([self.place("eth0", 7)])
        #expect(update.close == old)
        #expect(update.open.map(\.place) == [self.place("eth0", 7)])
    }

    @Test func whatEndsByItselfIsOpenedAgain() {
        var places = ListeningPlaces(interfaces: [])
        let first = places.update([self.place("eth0", 2)]).open
        places.ended(first[0])
        let second = places.update([self.place("eth0", 2)]).open
        #expect(second.map(\.place) == first.map(\.place) && second != first)
        // What is over for long is no reason to open anything.
        places.ended(first[0])
        #expect(places.contains(second[0]))
    }

    @Test func onlyNamedInterfacesAreListenedOn() {
        var places = ListeningPlaces(interfaces: ["eth1"])
        #expect(
            places.update([self.place("eth0", 2), self.place("eth1", 3)]).open.map(\.place) == [self.place("eth1", 3)])
    }

    @Test func descriptorsAreLimited() {
        var places = ListeningPlaces(interfaces: [])
        let available = (1...300).map { self.place("eth\($0)", $0) }
        let update = places.update(available)
        #expect(update.open.count == ListeningPlaces.maximumPlaces)
        #expect(places.omitted == 300 - ListeningPlaces.maximumPlaces)
        _ = places.update(Array(available.prefix(ListeningPlaces.maximumPlaces)))
        #expect(places.omitted == 0)
    }

    @Test func groupsAreThoseOfMulticastDNS() throws {
        let group = try self.place("eth0", 2).group()
        #expect(group.ipAddress == "224.0.0.251" && group.port == 5353)
    }
}
