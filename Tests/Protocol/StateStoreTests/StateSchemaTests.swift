import CastwayTestSupport
import Foundation
import GRDB
import StateStore
import Synchronization
import Testing

@Suite struct StateSchemaTests {
    private static let first = StateSchema.sql("CREATE TABLE fruit_name (name TEXT NOT NULL) STRICT")
    private static let second = StateSchema.sql("ALTER TABLE fruit_name ADD COLUMN colour TEXT")

    private static func schema(_ steps: StateSchema.Step...) -> StateSchema {
        StateSchema(part: "fruit", tables: "the tables of fruits are", steps: steps)
    }

    private static func columns(_ database: any DatabaseWriter) throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info('fruit_name')") }
    }

    private static func versions(_ database: any DatabaseWriter) throws -> [Int] {
        try database.read { try Int.fetchAll($0, sql: "SELECT version FROM fruit_schema ORDER BY version") }
    }

    private static func listed(_ database: any DatabaseWriter) throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1") }
    }

    /// What Castway wrote before it used GRDB's migrator.
    private static func older(versions: Int...) throws -> DatabaseQueue {
        let database = try DatabaseQueue()
        try database.write { db in
            try db.execute(sql: "CREATE TABLE fruit_schema (version INTEGER NOT NULL) STRICT")
            guard !versions.isEmpty else { return }
            try db.execute(sql: "CREATE TABLE fruit_name (name TEXT NOT NULL) STRICT")
            try db.execute(sql: "INSERT INTO fruit_name VALUES ('pear')")
            for version in versions { try db.execute(sql: "INSERT INTO fruit_schema VALUES (?)", arguments: [version]) }
        }
        return database
    }

    @Test func stepsAreAppliedOnceAndCounted() throws {
        let database = try DatabaseQueue()
        try Self.schema(Self.first).migrate(database)
        #expect(try Self.columns(database) == ["name"])
        for _ in 0..<2 { try Self.schema(Self.first, Self.second).migrate(database) }
        #expect(try Self.columns(database) == ["name", "colour"])
        #expect(try Self.versions(database) == [1, 2])
        #expect(try Self.listed(database) == ["fruit.1", "fruit.2"])
    }

    /// A directory in which the first start failed is as good as an empty one.
    @Test func aFirstStepThatFailsLeavesNoTable() throws {
        struct DiskFull: Error {}
        let database = try DatabaseQueue()
        #expect(throws: DiskFull.self) { try Self.schema({ _ in throw DiskFull() }).migrate(database) }
        let tables = try database.read {
            try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE name GLOB 'fruit*'")
        }
        #expect(tables.isEmpty)
    }

    @Test func tablesOfAnOlderCastwayAreContinued() throws {
        let database = try Self.older(versions: 1)
        try Self.schema(Self.first, Self.second).migrate(database)
        #expect(try Self.columns(database) == ["name", "colour"])
        #expect(try Self.versions(database) == [1, 2])
        #expect(try database.read { try String.fetchAll($0, sql: "SELECT name FROM fruit_name") } == ["pear"])
    }

    @Test func whatIsHalfMadeIsFinished() throws {
        let database = try Self.older()
        try Self.schema(Self.first, Self.second).migrate(database)
        #expect(try Self.columns(database) == ["name", "colour"])
        #expect(try Self.versions(database) == [1, 2])
    }

    @Test func tablesOfANewerCastwayAreLeftAlone() throws {
        let database = try Self.older(versions: 1, 9)
        let error = #expect(throws: StateSchema.TooNew.self) { try Self.schema(Self.first).migrate(database) }
        #expect(error?.description == "the tables of fruits are of version 9, made by a newer Castway")
        #expect(try database.read { try !$0.tableExists("grdb_migrations") })
    }

    @Test func aStepThatFailsLeavesNothing() throws {
        let database = try DatabaseQueue()
        let broken: StateSchema.Step = { db in
            try Self.second(db)
            throw CancellationError()
        }
        #expect(throws: CancellationError.self) { try Self.schema(Self.first, broken).migrate(database) }
        #expect(try Self.columns(database) == ["name"])
        #expect(try Self.versions(database) == [1])
        try Self.schema(Self.first, Self.second).migrate(database)
        #expect(try Self.columns(database) == ["name", "colour"])
    }

    @Test func theCountIsBelievedAndNotTheList() throws {
        let database = try DatabaseQueue()
        try Self.schema(Self.first).migrate(database)
        try database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('fruit.2'), ('other.1')") }
        try Self.schema(Self.first, Self.second).migrate(database)
        #expect(try Self.columns(database) == ["name", "colour"])
        #expect(try Self.listed(database) == ["fruit.1", "fruit.2", "other.1"])
        try database.write { try $0.execute(sql: "DROP TABLE grdb_migrations") }
        try Self.schema(Self.first, Self.second).migrate(database)
        #expect(try Self.versions(database) == [1, 2])
        #expect(try Self.listed(database) == ["fruit.1", "fruit.2"])
    }

    @Test(.timeLimit(.minutes(1))) func programsThatStartAtOnceDoNotBothApplyAStep() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        let path = folder.file("state.db")
        let queues = try (0..<4).map { _ in try DatabaseQueue(path: path, configuration: configuration) }
        let failures = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: queues.count) { index in
            do {
                try Self.schema(Self.first, Self.second).migrate(queues[index])
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty }, "\(failures.withLock { $0 })")
        #expect(try Self.versions(queues[0]) == [1, 2])
    }
}
