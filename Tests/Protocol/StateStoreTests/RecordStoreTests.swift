import CastwayTestSupport
import GRDB
import StateStore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecordStoreTests {
    /// Collects the reports of a store: a fault, or `works`.
    private final class Reports: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { self.texts.withLock { $0 } }
        func add(_ fault: String?) { self.texts.withLock { $0.append(fault ?? "works") } }
    }

    private static let schema = StateSchema.records(part: "fruit", tables: "the table of fruits is")

    private let database: DatabaseQueue
    private let reports = Reports()

    init() throws { self.database = try DatabaseQueue() }

    private func store() throws -> RecordStore<Int> {
        let reports = self.reports
        return try RecordStore(self.database, Self.schema, details: { "\($0)" }, report: reports.add)
    }

    private func all(_ store: RecordStore<Int>) throws -> [String] {
        try store.load().map { "\($0.device)=\($0.details)" }
    }

    private func refuse(_ isRefused: Bool) async throws {
        try await self.database.write { db in
            try db.execute(
                sql: isRefused
                    ? "CREATE TRIGGER refusal BEFORE INSERT ON fruit_record BEGIN SELECT RAISE(ABORT, 'full'); END"
                    : "DROP TRIGGER refusal")
        }
    }

    @Test func theLastChangeOfADeviceCounts() async throws {
        let store = try self.store()
        store.keep(1, of: "wall")
        store.keep(2, of: "attic")
        store.keep(3, of: "wall")
        store.keep(4, of: "cellar")
        store.keep(nil, of: "cellar")
        await store.settle()
        #expect(try self.all(store) == ["attic=2", "wall=3"])
        #expect(try self.all(self.store()) == ["attic=2", "wall=3"])
        #expect(self.reports.all == [])
    }

    @Test func changesOfManyTasksAreAllWritten() async throws {
        let store = try self.store()
        await withDiscardingTaskGroup { group in
            for device in 0..<8 {
                group.addTask { for number in 0..<200 { store.keep(number, of: "tv-\(device)") } }
            }
        }
        await store.settle()
        #expect(try self.all(store) == (0..<8).map { "tv-\($0)=199" })
    }

    @Test func aFailureIsReportedOnceAndItsChangesAreTriedAgain() async throws {
        let store = try self.store()
        try await self.refuse(true)
        for (number, device) in ["a", "b", "c"].enumerated() {
            store.keep(number, of: device)
            await store.settle()
        }
        #expect(try self.all(store) == [])
        #expect(self.reports.all == ["full"])
        try await self.refuse(false)
        store.keep(7, of: "a")
        await store.settle()
        #expect(try self.all(store) == ["a=7", "b=1", "c=2"])
        #expect(self.reports.all == ["full", "works"])
        try await self.refuse(true)
        store.keep(8, of: "a")
        await store.settle()
        #expect(self.reports.all == ["full", "works", "full"])
    }

    /// Neither half of a transaction is written without the other.
    @Test func oneFailureHoldsUpWhatWasKeptWithIt() async throws {
        let store = try self.store()
        store.keep(1, of: "wall")
        await store.settle()
        try await self.refuse(true)
        store.keep(2, of: "attic")
        await store.settle()
        store.keep(nil, of: "wall")
        await store.settle()
        #expect(try self.all(store) == ["wall=1"])
        try await self.refuse(false)
        store.keep(3, of: "cellar")
        await store.settle()
        #expect(try self.all(store) == ["attic=2", "cellar=3"])
    }

    @Test func aStoreWithoutChangesIsSettled() async throws {
        let store = try self.store()
        await store.settle()
        #expect(try self.all(store) == [])
    }

    @Test func aTableOfANewerCastwayIsNotTouched() throws {
        _ = try self.store()
        try self.database.write { try $0.execute(sql: "INSERT INTO fruit_schema (version) VALUES (99)") }
        #expect(throws: StateSchema.TooNew.self) { try self.store() }
    }
}
