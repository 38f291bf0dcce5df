import CastDiscovery
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

struct DeviceListTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private var mirrored = MirroredList()

    private mutating func see(_ sightings: [ServiceSighting], after: TimeAmount = .zero) {
        for sighting in sightings {
            self.mirrored.take(self.mirrored.list.handle(.seen(sighting), at: self.start + after))
        }
    }

    private mutating func lose(_ sightings: [ServiceSighting], after: TimeAmount = .zero) {
        for sighting in sightings {
            self.mirrored.take(self.mirrored.list.handle(.gone(sighting.key), at: self.start + after))
        }
    }

    private mutating func pass(_ after: TimeAmount) {
        self.mirrored.take(self.mirrored.list.timePassed(at: self.start + after))
    }

    private mutating func configure(
        statics: [StaticEntry] = [], filter: DeviceFilter = DeviceFilter(), ignored: Set<DeviceID> = []
    ) {
        self.mirrored.take(self.mirrored.list.configure(statics: statics, filter: filter, ignored: ignored))
    }

    private func device(_ digit: Character) throws -> DiscoveredDevice {
        try #require(self.mirrored.list.device(id: Sightings.id(digit)))
    }

    // MARK: Identity

    @Test mutating func oneDeviceOnManyInterfacesIsOne() throws {
        self.see(Sightings.make("a", name: "Hall", interface: 2, family: .ipv6, address: "fe80::1%eth2"))
        #expect(self.mirrored.last == "+0")
        self.see(Sightings.make("a", name: "Hall", interface: 2, family: .ipv6))
        self.see(Sightings.make("a", name: "Hall", interface: 3))
        self.see(Sightings.make("a", name: "Hall", interface: 4, address: "192.0.2.9"))
        #expect(self.mirrored.list.devices.count == 1)
        #expect(
            try self.device("a").addresses.map(\.description) == [
                "192.0.2.1:8009", "192.0.2.9:8009", "[2001:db8::1]:8009",
            ])
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func itIsKnownWhereAnAddressWasHeard() throws {
        self.see(Sightings.make("a", name: "Hall", interface: 2))
        self.see(Sightings.make("a", name: "Hall", interface: 3))
        self.see(Sightings.make("a", name: "Hall", interface: 4, address: "192.0.2.9"))
        let (near, far) = (DeviceAddress(host: "192.0.2.1", port: 8009), DeviceAddress(host: "192.0.2.9", port: 8009))
        #expect(try self.device("a").hearing == [near: ["eth2", "eth3"], far: ["eth4"]])
        // What is written down counts, wherever it is heard.
        self.configure(statics: [StaticEntry(name: "hall", address: far)])
        #expect(try self.device("a").hearing == [near: ["eth2", "eth3"]])
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func aDeviceStaysWhileAnythingIsHeardOfIt() throws {
        let first = Sightings.make("a", name: "Hall", interface: 2)
        let second = Sightings.make("a", name: "Hall", interface: 3, address: "192.0.2.9")
        self.see(first + second)
        self.lose(first)
        #expect(self.mirrored.list.nextDeadline == nil)
        #expect(try self.device("a").addresses.map(\.host) == ["192.0.2.9"])
        self.lose(second)
        #expect(self.mirrored.list.nextDeadline == self.start + .seconds(3))
        #expect(try !self.device("a").isAnnounced)
        // It may be reached for all that.
        #expect(try self.device("a").addresses.map(\.host) == ["192.0.2.9"])
        self.pass(.seconds(2))
        #expect(self.mirrored.names == ["Hall"])
        self.pass(.seconds(3))
        #expect(self.mirrored.names == [])
        #expect(self.mirrored.list.nextDeadline == nil)
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func aDeviceThatComesBackInTimeNeverWent() throws {
        self.see(Sightings.make("a", name: "Hall"))
        self.lose(Sightings.make("a", name: "Hall"))
        self.see(Sightings.make("a", name: "Hall", address: "192.0.2.77"), after: .seconds(2))
        self.pass(.seconds(10))
        #expect(try self.device("a").addresses.map(\.host) == ["192.0.2.77"])
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func anAddressChangeIsAnUpdate() throws {
        self.see(Sightings.make("a", name: "Hall"))
        self.see(Sightings.make("a", name: "Hall", address: "192.0.2.50", port: 8010))
        #expect(self.mirrored.last == "~0")
        #expect(try self.device("a").addresses.map(\.description) == ["192.0.2.50:8010"])
    }

    /// Protocol notes, 1.5 and 9, quirk 1.
    @Test mutating func aGroupFollowsItsLeader() throws {
        let group: DeviceCapabilities = [.audioOut, .multizoneGroup]
        let old = Sightings.make(
            "b", name: "House", instance: "Google-Cast-Group-\(Sightings.id("b"))", host: "one.local", port: 42539,
            capabilities: group)
        let new = Sightings.make(
            "b", name: "House", instance: "Google-Cast-Group-\(Sightings.id("b"))-1", host: "two.local",
            address: "192.0.2.2", port: 42539, capabilities: group)
        self.see(old)
        #expect(try self.device("b").type == .speakerGroup)
        // For a moment there are two leaders; the new one is tried first.
        self.see(new)
        #expect(try self.device("b").addresses.map(\.host) == ["192.0.2.2", "192.0.2.1"])
        #expect(try self.device("b").host == "two.local")
        // What the old one repeats makes it no leader again.
        self.see(
            Sightings.make(
                "b", name: "House", instance: "Google-Cast-Group-\(Sightings.id("b"))", host: "one.local",
                port: 42539, capabilities: group, status: "late"))
        #expect(try self.device("b").addresses.map(\.host) == ["192.0.2.2", "192.0.2.1"])
        self.lose(old)
        #expect(try self.device("b").addresses.map(\.host) == ["192.0.2.2"])
        #expect(self.mirrored.list.devices.count == 1)
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func anInstanceThatBecomesAnotherDeviceIsAnother() {
        self.see(Sightings.make("a", name: "Hall", instance: "x"))
        self.see(Sightings.make("b", name: "Hall", instance: "x"))
        self.pass(.seconds(5))
        #expect(self.mirrored.list.devices.map(\.id) == [Sightings.id("b")])
        #expect(self.mirrored.isEqual)
    }

    // MARK: Order

    @Test mutating func devicesAreOrderedByNameAndThenById() {
        self.see(Sightings.make("a", name: "Kitchen"))
        self.see(Sightings.make("c", name: "bedroom"))
        #expect(self.mirrored.last == "+0")
        self.see(Sightings.make("d", name: "Bath"))
        self.see(Sightings.make("b", name: "Kitchen"))
        #expect(self.mirrored.last == "+3")
        #expect(self.mirrored.names == ["Bath", "bedroom", "Kitchen", "Kitchen"])
        #expect(self.mirrored.list.devices.map { $0.id.prefix(1) } == ["d", "c", "a", "b"])
        // Of two of a name it is always the same.
        #expect(self.mirrored.list.device(named: "Kitchen")?.id == Sightings.id("a"))
        self.see(Sightings.make("a", name: "Attic"))
        #expect(self.mirrored.last == "~2>0")
        #expect(self.mirrored.isEqual)
    }

    @Test(arguments: 0..<8) mutating func theChangesMakeTheList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let digits = Array("0123456789abcdef")
        for step in 0..<600 {
            let digit = digits[Int.random(in: 0..<digits.count, using: &random)]
            let name = ["Hall", "hall", "Bath", "Kitchen", "Attic"][Int.random(in: 0..<5, using: &random)]
            let sighting = Sightings.make(
                digit, name: name, interface: Int32.random(in: 1...2, using: &random),
                address: "192.0.2.\(Int.random(in: 1...3, using: &random))")
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: self.see(sighting, after: .seconds(Int64(step)))
            case 5..<8: self.lose(sighting, after: .seconds(Int64(step)))
            case 8: self.pass(.seconds(Int64(step)))
            default:
                self.configure(
                    statics: step.isMultiple(of: 2)
                        ? [StaticEntry(name: "s", address: DeviceAddress(host: "192.0.2.2", port: 8009))] : [],
                    filter: DeviceFilter(deny: step.isMultiple(of: 3) ? [Glob("B*")] : []))
            }
            #expect(self.mirrored.isEqual, "step \(step)")
        }
        #expect(!self.mirrored.mirror.isEmpty)
    }

    // MARK: The daemon

    @Test mutating func aDaemonThatComesBackMakesNoDeviceGo() {
        self.see(Sightings.make("a", name: "Hall") + Sightings.make("b", name: "Bath"))
        self.mirrored.take(self.mirrored.list.handle(.blocked(reason: "gone"), at: self.start))
        #expect(self.mirrored.last == "~0 ~1" || self.mirrored.names == ["Bath", "Hall"])
        #expect(self.mirrored.names == ["Bath", "Hall"])
        self.see(Sightings.make("a", name: "Hall"), after: .seconds(5))
        self.mirrored.take(self.mirrored.list.handle(.settled, at: self.start + .seconds(6)))
        #expect(self.mirrored.list.nextDeadline == self.start + .seconds(16))
        self.pass(.seconds(16))
        // No goodbye came; it just did not come back.
        #expect(self.mirrored.names == ["Hall"])
        #expect(self.mirrored.list.nextDeadline == nil)
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func withoutADaemonDevicesAreGivenUpAfterAWhile() {
        self.see(Sightings.make("a", name: "Hall"))
        self.mirrored.take(self.mirrored.list.handle(.blocked(reason: "gone"), at: self.start))
        self.pass(.seconds(119))
        #expect(self.mirrored.names == ["Hall"])
        self.pass(.seconds(120))
        #expect(self.mirrored.names == [])
        #expect(self.mirrored.isEqual)
    }

    // MARK: Static entries

    @Test mutating func aStaticEntryIsThereFromTheBeginning() throws {
        self.configure(statics: [StaticEntry(name: "room", address: DeviceAddress(host: "192.0.2.1", port: 8009))])
        #expect(self.mirrored.list.devices.map(\.id) == ["static:room"])
        #expect(self.mirrored.list.device(named: "room")?.isAnnounced == false)
        #expect(self.mirrored.list.device(named: "room")?.friendlyName == "room")
    }

    @Test mutating func aStaticEntryWithAnIDIsTheDeviceOfThatID() throws {
        let id = try #require(DeviceID(Sightings.id("A")))
        self.configure(
            statics: [StaticEntry(name: "room", address: DeviceAddress(host: "192.0.2.200", port: 8009), id: id)])
        self.see(Sightings.make("a", name: "Hall"))
        let device = try #require(self.mirrored.list.device(named: "room"))
        #expect(self.mirrored.list.devices.count == 1)
        #expect(device.friendlyName == "Hall")
        // Where it says that it is comes before where it was written to be.
        #expect(device.addresses.map(\.host) == ["192.0.2.1", "192.0.2.200"])
        self.lose(Sightings.make("a", name: "Hall"))
        self.pass(.seconds(9))
        #expect(self.mirrored.list.device(named: "room")?.addresses.map(\.host) == ["192.0.2.200"])
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func aDeviceOfAnotherNameInTheGatewayIsAnother() throws {
        let id = try #require(DeviceID(Sightings.id("a")))
        let address = DeviceAddress(host: "192.0.2.200", port: 8009)
        self.see(Sightings.make("a", name: "Hall"))
        for name in ["room", "lobby"] {
            self.configure(statics: [StaticEntry(name: name, address: address, id: id)])
            #expect(self.mirrored.last == "-0 +0")
        }
        self.configure(statics: [StaticEntry(name: "lobby", address: address, id: id)])
        #expect(self.mirrored.last.isEmpty)
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func aStaticEntryIsTheDeviceThatIsHeardAtItsAddress() throws {
        self.configure(statics: [StaticEntry(name: "room", address: DeviceAddress(host: "192.0.2.1", port: 8009))])
        self.see(Sightings.make("a", name: "Hall"))
        #expect(self.mirrored.list.devices.map(\.id) == [Sightings.id("a")])
        #expect(self.mirrored.list.device(named: "room")?.id == Sightings.id("a"))
        // And it stays that device when the address changes.
        self.see(Sightings.make("a", name: "Hall", address: "192.0.2.66"))
        #expect(
            self.mirrored.list.device(named: "room")?.addresses.map(\.host) == ["192.0.2.66", "192.0.2.1"])
        // Until another is heard there.
        self.see(Sightings.make("b", name: "Bath"))
        #expect(self.mirrored.list.device(named: "room")?.id == Sightings.id("b"))
        #expect(self.mirrored.list.devices.count == 2)
        #expect(self.mirrored.isEqual)
    }

    // MARK: Filters

    @Test mutating func whatIsDeniedIsNotListed() {
        self.configure(filter: DeviceFilter(allow: [Glob("H*"), Glob("Guest *")], deny: [Glob("Guest *")]))
        self.see(
            Sightings.make("a", name: "Hall") + Sightings.make("b", name: "Guest TV")
                + Sightings.make("c", name: "Bath"))
        #expect(self.mirrored.names == ["Hall"])
        self.configure(filter: DeviceFilter(deny: [Glob(Sightings.id("a"))]))
        #expect(self.mirrored.names == ["Bath", "Guest TV"])
        self.see(Sightings.make("c", name: "Guest TV 2"))
        self.configure(
            statics: [StaticEntry(name: "Guest x", address: DeviceAddress(host: "192.0.2.7", port: 8009))],
            filter: DeviceFilter(deny: [Glob("*")]))
        // What is written down is wanted.
        #expect(self.mirrored.names == ["Guest x"])
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func ownVirtualDevicesAreNotListed() throws {
        self.configure(ignored: [try #require(DeviceID(Sightings.id("a")))])
        self.see(Sightings.make("a", name: "Own") + Sightings.make("b", name: "Other"))
        #expect(self.mirrored.names == ["Other"])
        self.configure()
        #expect(self.mirrored.names == ["Other", "Own"])
    }

    @Test mutating func aDeviceWithoutTheAppIsNotListed() {
        let criteria = DiscoveryCriteria(apps: ["CC1AD845", "ABCD1234"])
        self.configure(filter: DeviceFilter(criteria: criteria))
        self.see(Sightings.make("a", name: "Hall"))
        #expect(self.mirrored.names == ["Hall"])
        self.mirrored.take(self.mirrored.list.note(app: "CC1AD845", on: Sightings.id("a"), isAvailable: false))
        #expect(self.mirrored.names == ["Hall"])
        self.mirrored.take(self.mirrored.list.note(app: "ABCD1234", on: Sightings.id("a"), isAvailable: false))
        #expect(self.mirrored.names == [])
        // It answers to the app's name.
        self.see(Sightings.make("a", name: "Hall", subtypes: [ServiceSubtype(app: "ABCD1234") ?? .media]))
        #expect(self.mirrored.names == ["Hall"])
        #expect(criteria.subtypes.map(\.label).sorted() == ["_ABCD1234", "_CC1AD845"])
        #expect(self.mirrored.isEqual)
    }

    @Test mutating func aNamespaceIsOneOfTheAppThatRuns() {
        self.configure(filter: DeviceFilter(criteria: DiscoveryCriteria(namespaces: [.media])))
        self.see(Sightings.make("a", name: "Hall"))
        #expect(self.mirrored.names == [])
        self.see(Sightings.make("a", name: "Hall", subtypes: [.media]))
        #expect(self.mirrored.names == ["Hall"])
    }

    /// A plugin neither renames what is heard nor lets in what the file keeps out.
    @Test(arguments: [true, false]) mutating func whatAPluginNamesIsNoNameOfAHeardDevice(byID: Bool) throws {
        let named = StaticEntry(
            name: "mine", address: DeviceAddress(host: byID ? "192.0.2.99" : "192.0.2.1", port: 8009),
            id: byID ? DeviceID(Sightings.id("a")) : nil, source: "plugin:finder")
        self.configure(statics: [named])
        #expect(self.mirrored.list.devices.map(\.staticName) == ["mine"])
        let provided = try #require(self.mirrored.list.devices.first)
        #expect(provided.category.rawValue == "plugin:finder" && provided.uniqueID == "plugin:finder:\(provided.id)")
        #expect(self.mirrored.list.device(id: provided.uniqueID) == provided)
        #expect(self.mirrored.list.device(id: "cast:\(provided.id)") == nil)
        self.see(Sightings.make("a", name: "Hall"))
        #expect(self.mirrored.names == ["Hall"])
        let heard = try self.device("a")
        #expect(heard.staticName == nil)
        #expect(heard.source == nil)
        #expect(heard.category == .cast)
        #expect(heard.addresses.map(\.host) == ["192.0.2.1"])
        self.configure(statics: [named], filter: DeviceFilter(deny: [Glob("Hall")]))
        #expect(self.mirrored.names == [])
        self.configure(filter: DeviceFilter(deny: [Glob("mine")]))
        self.lose(Sightings.make("a", name: "Hall"))
        self.pass(.seconds(3))
        self.configure(statics: [named], filter: DeviceFilter(deny: [Glob("mine")]))
        #expect(self.mirrored.names == [])
        #expect(self.mirrored.isEqual)
    }

    // MARK: The device

    @Test mutating func aDeviceTellsWhatItIs() throws {
        self.see(Sightings.make("a", name: "Hall", status: "Casting: One"))
        self.mirrored.take(self.mirrored.list.set(attributes: ["room": "7"], of: Sightings.id("a")))
        let device = try self.device("a")
        #expect(device.uniqueID == "cast:\(Sightings.id("a"))")
        #expect(self.mirrored.list.device(id: device.uniqueID) == device)
        #expect(self.mirrored.list.device(id: Sightings.id("A")) == device)
        #expect(device.status == .busy)
        #expect(device.statusText == "Casting: One")
        #expect(device.type == .tv)
        #expect(device.icons == ["http://192.0.2.1:8008/setup/icon.png"])
        #expect(device.attributes == ["room": "7"])
        #expect(device.json.string("friendlyName") == "Hall")
        #expect(device.json.string("networkAddress") == "192.0.2.1")
        #expect(DeviceType([.audioOut]) == .speaker)
        #expect(DeviceType([]) == .generic)
    }

    @Test mutating func attributesThatAreSetTogetherAreToldOnce() throws {
        func isUpdate(_ change: DeviceListChange) -> Bool { if case .updated = change { true } else { false } }
        self.see(Sightings.make("a", name: "Hall"))
        let both = self.mirrored.list.set(attributes: ["room": "7", "floor": "2"], of: Sightings.id("a"))
        #expect(both.filter(isUpdate).count == 1 && both.count == 3)
        let other = self.mirrored.list.set(attributes: ["room": nil, "wing": "east"], of: Sightings.id("a"))
        #expect(other.filter(isUpdate).count == 1 && other.count == 3)
        #expect(self.mirrored.list.device(id: Sightings.id("a"))?.attributes == ["floor": "2", "wing": "east"])
    }

    @Test mutating func whatPeersSendIsBounded() {
        for number in 0..<200 {
            self.see(Sightings.make("a", name: "Hall", interface: Int32(number), address: "192.0.2.\(number)"))
        }
        #expect(self.mirrored.list.devices.first?.addresses.count == 64)
    }
}
