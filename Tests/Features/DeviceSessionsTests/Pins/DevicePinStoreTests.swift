import CastDiscovery
import GRDB
import StateStore
import Testing

@testable import DeviceSessions

@Suite struct DevicePinStoreTests {
    private static func pin(_ id: String, port: Int, at time: Int64, name: String = "Hall") throws -> DevicePin {
        let id = try #require(DeviceID(id))
        return DevicePin(
            id: id, name: "auto-\(id.text.prefix(8))", port: port,
            traits: DevicePin.Traits(
                friendlyName: name, model: "Chromecast", capabilities: DeviceCapabilities(rawValue: .max)),
            host: port == 8107 ? "192.0.2.7" : nil, pinnedAt: time, seenAt: time + 1)
    }

    @Test func whatIsSavedIsThereAgain() throws {
        let database = try DatabaseQueue()
        let store = try DevicePinStore(database: database)
        let one = try Self.pin("aaaaaaaa11", port: 8101, at: 20)
        let two = try Self.pin("bbbbbbbb22", port: 8100, at: 10)
        try store.save(one)
        try store.save(two)
        #expect(try store.load() == [two, one], "the oldest first")
        let renamed = try Self.pin("aaaaaaaa11", port: 8107, at: 20, name: "Great hall")
        try store.save(renamed)
        try store.remove(two.id)
        #expect(try DevicePinStore(database: database).load() == [renamed])
    }

    @Test func pinsOfTheFirstVersionStay() throws {
        let database = try DatabaseQueue()
        let old = try Self.pin("aaaaaaaa11", port: 8101, at: 20)
        try DevicePinStore(database: database).save(old)
        try database.write { db in
            try db.execute(sql: "ALTER TABLE pin_device DROP COLUMN host")
            try db.execute(sql: "DELETE FROM pin_schema WHERE version > 1")
        }
        #expect(try DevicePinStore(database: database).load() == [old])
    }

    @Test func tablesOfANewerCastwayAreLeftAlone() throws {
        let database = try DatabaseQueue()
        _ = try DevicePinStore(database: database)
        try database.write { try $0.execute(sql: "INSERT INTO pin_schema (version) VALUES (9)") }
        #expect(throws: StateSchema.TooNew.self) { try DevicePinStore(database: database) }
    }
}
