import CastDiscovery
import DeviceListening
import GatewayConfig
import Testing

@testable import Passthrough

@Suite struct PassthroughAnnouncementTests {
    private static let table = InterfaceTable([
        .init(name: "lan0", index: 2, address: "10.0.5.1", netmask: "255.255.255.0"),
        .init(name: "guests0", index: 3, address: "10.20.0.1", netmask: "255.255.0.0"),
        .init(name: "guests1", index: 4, address: "10.21.0.1", netmask: "255.255.0.0"),
    ])

    static func record() throws -> DeviceRecord {
        let id = try #require(DeviceID("0123456789abcdef0123456789abcdef"))
        return DeviceRecord(
            id: id, friendlyName: "Room 12", model: "Chromecast Ultra",
            capabilities: DeviceCapabilities(rawValue: 463_365), version: 5, activity: .busy, statusText: "YouTube",
            iconPath: "/setup/icon.png", certificateDigest: "ABCD", metricsID: "CC74C6E4E384DBB4",
            hotspotID: "FA8FCA8286C5", notificationFlag: "2", other: [TXTEntry(key: "ct", text: "883290")])
    }

    private func announcement(
        listen: String = "10.20.0.12", interfaces: [String] = ["guests0"], isOn: Bool = true
    ) -> PassthroughAnnouncement {
        PassthroughAnnouncement(
            settings: PassthroughSettings(
                name: "room-12", listen: ListenAddress(host: listen, port: 8009), target: "tv-12"
            ) {
                $0.announcing = AnnouncingSettings(interfaces: interfaces)
                $0.announcing.isOn = isOn
            }, port: 8009)
    }

    private func device(_ hosts: String...) throws -> PassedDevice {
        PassedDevice(record: try Self.record(), addresses: hosts.map { DialAddress(host: $0, port: 8009) })
    }

    @Test func theDevicesOwnRecordStandsAtTheGatewaysAddress() throws {
        let outcome = self.announcement().outcome(for: try self.device("10.0.5.12"), in: Self.table)
        #expect(Array(outcome.services.keys) == ["room-12@guests0"])
        let service = try #require(outcome.services["room-12@guests0"])
        #expect(service.record == (try Self.record()))
        #expect(service.record.txt.map(\.key).contains("ct"))
        #expect(!service.record.isVirtualDevice)
        #expect(service.instance == "Chromecast-Ultra-0123456789abcdef0123456789abcdef")
        #expect(service.port == 8009)
        #expect(service.place?.address == "10.20.0.12")
        #expect(service.interface == 3)
        // No AAAA record: a guest was admitted by the IPv4 address.
        #expect(service.family == .ipv4)
        #expect(service.subtypes == [.media])
        #expect(outcome.conflicts == [] && outcome.missing == [] && outcome.obstacle == nil)
    }

    @Test func eachNetworkHasItsAnnouncement() throws {
        let outcome = self.announcement(interfaces: ["guests0", "guests1", "attic0"])
            .outcome(for: try self.device("10.0.5.12"), in: Self.table)
        #expect(outcome.services.keys.sorted() == ["room-12@guests0", "room-12@guests1"])
        #expect(outcome.missing == ["attic0"])
    }

    @Test func itIsNotAnnouncedWhereTheDeviceItselfIs() throws {
        let device = try self.device("10.20.3.4")
        let announcement = self.announcement()
        let outcome = announcement.outcome(for: device, in: Self.table)
        #expect(outcome.services.isEmpty)
        #expect(outcome.conflicts == ["guests0"])
        // What is heard among the guests may be a guest's word, so it is not dialled.
        #expect(announcement.candidates(of: device, in: Self.table).isEmpty)
        let both = try self.device("10.20.3.4", "10.0.5.12")
        #expect(announcement.candidates(of: both, in: Self.table).map(\.host) == ["10.0.5.12"])
        #expect(announcement.outcome(for: both, in: Self.table).services.isEmpty)
    }

    /// A guest can announce the device's id with the address and port of any host.
    @Test func whatIsHeardAmongGuestsIsNotDialled() throws {
        let hosts = [
            "10.0.5.12", "10.0.5.99", "10.0.5.13", "127.0.0.1", "0.0.0.0", "224.0.0.251", "::1", "fe80::12%lan0",
        ]
        let hearing: [String: Set<String>] = [
            "10.0.5.99": ["guests0"], "10.0.5.13": ["guests0", "lan0"], "127.0.0.1": ["lan0"], "0.0.0.0": ["lan0"],
            "224.0.0.251": ["lan0"], "::1": ["lan0"], "fe80::12%lan0": ["lan0"],
        ]
        func device(_ port: Int) throws -> PassedDevice {
            PassedDevice(
                record: try Self.record(), addresses: hosts.map { DialAddress(host: $0, port: port) },
                hearing: Dictionary(
                    uniqueKeysWithValues: hearing.map { (DialAddress(host: $0.key, port: port), $0.value) }))
        }
        let expected = ["10.0.5.12", "10.0.5.13", "fe80::12%lan0"]
        let candidates = self.announcement().candidates(of: try device(8009), in: Self.table)
        #expect(candidates.map(\.host) == expected)
        // What is written down is the operator's word.
        let written = PassedDevice(record: nil, addresses: [DialAddress(host: "127.0.0.1", port: 8009)])
        #expect(self.announcement().candidates(of: written, in: Self.table).map(\.host) == ["127.0.0.1"])
        let unpublished = self.announcement(isOn: false).candidates(of: try device(8009), in: Self.table)
        #expect(unpublished.map(\.host) == ["10.0.5.12", "10.0.5.99", "10.0.5.13", "fe80::12%lan0"])
    }

    /// Each interface has the network fe80::/64; only the zone says in which one a device is.
    @Test func aLinkLocalAddressIsInTheInterfaceOfItsZone() throws {
        let table = InterfaceTable(
            Self.table.entries + [
                .init(name: "lan0", index: 2, address: "fe80::1", netmask: "ffff:ffff:ffff:ffff::"),
                .init(name: "guests0", index: 3, address: "fe80::2", netmask: "ffff:ffff:ffff:ffff::"),
            ])
        let announcement = self.announcement()
        let there = try self.device("10.0.5.12", "fe80::12%lan0")
        let outcome = announcement.outcome(for: there, in: table)
        #expect(outcome.conflicts == [])
        #expect(Array(outcome.services.keys) == ["room-12@guests0"])
        #expect(announcement.candidates(of: there, in: table).map(\.host) == ["10.0.5.12", "fe80::12%lan0"])
        let here = try self.device("10.0.5.12", "fe80::12%guests0")
        #expect(announcement.outcome(for: here, in: table).conflicts == ["guests0"])
        #expect(announcement.candidates(of: here, in: table).map(\.host) == ["10.0.5.12"])
    }

    @Test func whatKeepsItBackIsSaid() throws {
        let device = try self.device("10.0.5.12")
        #expect(self.announcement(isOn: false).outcome(for: device, in: Self.table).obstacle == "publish is false")
        for host in ["127.0.0.1", "0.0.0.0", "::", "2001:db8::1"] {
            let outcome = self.announcement(listen: host).outcome(for: device, in: Self.table)
            #expect(outcome.obstacle != nil && outcome.services.isEmpty, "\(host)")
        }
        let unheard = PassedDevice(record: nil, addresses: [DialAddress(host: "10.0.5.12", port: 8009)])
        #expect(self.announcement().outcome(for: unheard, in: Self.table).obstacle != nil)
    }

    @Test func networksAreThoseOfTheMasks() {
        let table = Self.table
        #expect(table.network(of: "guests0", contains: "10.20.255.254"))
        #expect(!table.network(of: "guests0", contains: "10.21.0.1"))
        #expect(table.network(of: "guests0", contains: "::ffff:10.20.0.9"))
        #expect(!table.network(of: "guests0", contains: "tv.example"))
        #expect(!table.network(of: "attic0", contains: "10.20.0.1"))
        #expect(table.index(having: "10.21.0.1") == 4)
    }
}
