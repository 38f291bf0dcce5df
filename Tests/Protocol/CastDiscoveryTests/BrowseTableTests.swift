import Testing

@testable import CastDiscovery

struct BrowseTableTests {
    private static let id = "9d2b7c1e4f6a48b0a3c5d7e9f1023456"
    private let key = ServiceSighting.Key(instance: "Screen-\(Self.id)", interface: 2, family: .ipv4)

    private func resolution(
        _ address: String = "10.77.0.1", port: Int = 8009, _ txt: KeyValuePairs<String, String> = ["fn": "Hall"]
    ) -> BrowseTable.Resolution {
        BrowseTable.Resolution(
            interfaceName: "eth0", host: "h.local", address: address, port: port,
            txt: [TXTEntry(key: "id", text: Self.id)] + txt.map { TXTEntry(key: $0.key, text: $0.value) })
    }

    private func sighting(_ actions: [BrowseTable.Action]) throws -> ServiceSighting {
        try #require(actions.count == 1)
        guard case .tell(.seen(let sighting)) = actions[0] else {
            Issue.record("\(actions[0])")
            throw CancellationError()
        }
        return sighting
    }

    @Test func anInstanceIsToldWhenAllOfItIsKnown() throws {
        var table = BrowseTable()
        #expect(table.appeared(self.key, as: nil) == [.resolve(self.key)])
        #expect(table.appeared(self.key, as: nil) == [])
        let sighting = try self.sighting(table.resolved(self.key, self.resolution()))
        #expect(sighting.address == "10.77.0.1")
        #expect(sighting.record.friendlyName == "Hall")
        // The same again is no news.
        #expect(table.resolved(self.key, self.resolution()) == [])
        #expect(table.disappeared(self.key, from: nil) == [.stopResolving(self.key), .tell(.gone(self.key))])
        #expect(table.count == 0)
    }

    @Test func everyChangeIsFollowed() throws {
        var table = BrowseTable()
        _ = table.appeared(self.key, as: nil)
        _ = table.resolved(self.key, self.resolution())
        #expect(try self.sighting(table.resolved(self.key, self.resolution("10.77.0.9"))).address == "10.77.0.9")
        #expect(try self.sighting(table.resolved(self.key, self.resolution(port: 32000))).port == 32000)
        let busy = try self.sighting(table.resolved(self.key, self.resolution("10.77.0.9", ["fn": "Hall", "st": "1"])))
        #expect(busy.record.activity == .busy)
    }

    @Test func anInstanceLivesAsLongAsAnyTypeListsIt() throws {
        var table = BrowseTable()
        _ = table.appeared(self.key, as: .media)
        #expect(try self.sighting(table.resolved(self.key, self.resolution())).subtypes == [.media])
        #expect(table.appeared(self.key, as: nil) == [])
        #expect(try self.sighting(table.disappeared(self.key, from: .media)).subtypes == [])
        #expect(table.forget(.media) == [])
        #expect(table.disappeared(self.key, from: nil).last == .tell(.gone(self.key)))
    }

    @Test func whatCannotBeResolvedIsTriedAgainEverLater() {
        var table = BrowseTable()
        _ = table.appeared(self.key, as: nil)
        for pause in [2000, 4000, 8000, 16000, 32000, 60000, 60000] {
            #expect(
                table.failed(self.key)
                    == [.stopResolving(self.key), .resolveLater(self.key, milliseconds: pause)])
        }
        #expect(table.mayResolve(self.key))
        // Nothing was told, so nothing goes.
        #expect(table.disappeared(self.key, from: nil) == [.stopResolving(self.key)])
        #expect(!table.mayResolve(self.key))
        #expect(table.failed(self.key) == [])
    }

    @Test func whatLosesItsIdentityGoes() {
        var table = BrowseTable()
        let key = ServiceSighting.Key(instance: "Screen", interface: 2, family: .ipv4)
        _ = table.appeared(key, as: nil)
        var resolution = self.resolution()
        _ = table.resolved(key, resolution)
        resolution.txt = []
        #expect(table.resolved(key, resolution) == [.tell(.gone(key))])
        #expect(table.resolved(key, resolution) == [])
    }

    @Test func aLostDaemonLeavesNothingBehind() {
        var table = BrowseTable()
        _ = table.appeared(self.key, as: nil)
        _ = table.resolved(self.key, self.resolution())
        table.clear()
        #expect(table.count == 0)
        #expect(table.resolved(self.key, self.resolution()) == [])
        #expect(table.disappeared(self.key, from: nil) == [])
    }

    @Test func aFloodIsBounded() {
        var table = BrowseTable()
        for number in 0..<20000 {
            _ = table.appeared(
                ServiceSighting.Key(instance: "\(number)", interface: 2, family: .ipv4), as: nil)
        }
        #expect(table.count == 16384)
    }
}
