import CastWire
import CastwayTestSupport
import GRDB
import Logging
import Testing

@testable import DeviceHosting

/// What built-in receivers run is in the state database, and goes on after the next start.
@Suite(.timeLimit(.minutes(1))) struct ReceiverStoreTests {
    private let database: DatabaseQueue

    init() throws { self.database = try DatabaseQueue() }

    private func store(_ devices: Set<String> = ["hall", "bar"], isGoing: Bool = true) throws -> ReceiverStore {
        try ReceiverStore(self.database, devices: devices, logger: Logger(label: "test")) { isGoing }
    }

    @Test func aRecordIsTakenOnceByTheNextRun() async throws {
        let first = try self.store()
        #expect(first.take(device: "hall") == nil)
        first.keep(["app": "old"], of: "hall")
        first.keep(["app": "CC1AD845"], of: "hall")
        first.keep(["app": "ABCD1234"], of: "bar")
        first.keep(nil, of: "bar")
        await first.settle()
        let second = try self.store()
        #expect(second.take(device: "hall") == ["app": "CC1AD845"])
        #expect(second.take(device: "hall") == nil && second.take(device: "bar") == nil)
    }

    /// A reload has removed the device: its session has ended.
    @Test(arguments: [true, false]) func whatStopsWithTheGatewayIsKept(isGoing: Bool) async throws {
        let first = try self.store(isGoing: isGoing)
        first.keep(["app": "old"], of: "hall")
        first.end(["app": "CC1AD845"], of: "hall")
        await first.settle()
        #expect(try self.store().take(device: "hall") == (isGoing ? ["app": "CC1AD845"] : nil))
    }

    @Test func whatIsOfNoDeviceIsForgotten() async throws {
        let first = try self.store()
        first.keep(["app": "CC1AD845"], of: "hall")
        await first.settle()
        let other = try self.store(["bar"])
        await other.settle()
        #expect(try self.store().take(device: "hall") == nil)
    }

    @Test func aDiskThatFailsIsTriedAgain() async throws {
        let store = try self.store()
        try await self.database.write {
            try $0.execute(
                sql: "CREATE TRIGGER refusal BEFORE INSERT ON receiver_record BEGIN SELECT RAISE(ABORT, 'full'); END")
        }
        store.keep(["app": "CC1AD845"], of: "hall")
        await store.settle()
        try await self.database.write { try $0.execute(sql: "DROP TRIGGER refusal") }
        store.keep(["app": "ABCD1234"], of: "bar")
        await store.settle()
        #expect(try self.store().take(device: "hall") == ["app": "CC1AD845"])
    }
}
