import CastwayTestSupport
import Foundation
import GRDB
import Testing

@testable import CastIdentity

/// A state directory as Castway left it before it used GRDB's migrator.
@Suite struct OlderStateTests {
    private static let tables = """
        CREATE TABLE identity_schema (version INTEGER NOT NULL) STRICT;
        CREATE TABLE identity_root (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            certificate BLOB NOT NULL,
            private_key BLOB NOT NULL
        ) STRICT;
        CREATE TABLE identity_device (
            name TEXT PRIMARY KEY,
            uuid TEXT NOT NULL UNIQUE,
            private_key BLOB NOT NULL,
            certificate BLOB NOT NULL,
            intermediate BLOB NOT NULL,
            root_fingerprint TEXT NOT NULL
        ) STRICT;
        CREATE TABLE identity_leaf (
            device_uuid TEXT PRIMARY KEY REFERENCES identity_device (uuid) ON DELETE CASCADE,
            certificate BLOB NOT NULL,
            private_key BLOB NOT NULL
        ) STRICT;
        INSERT INTO identity_schema (version) VALUES (1);
        """

    private let directory: TemporaryFolder

    init() throws {
        self.directory = try TemporaryFolder()
        let fixture = try Fixture.shared()
        var configuration = Configuration()
        configuration.journalMode = .wal
        let database = try DatabaseQueue(path: self.directory.file("castway.db"), configuration: configuration)
        let key = try fixture.identity.key.der()
        let rootKey = try fixture.authority.key.der()
        try database.write { db in
            try db.execute(sql: Self.tables)
            try db.execute(
                sql: "INSERT INTO identity_root VALUES (1, ?, ?)",
                arguments: [Data(fixture.authority.certificate), Data(rootKey)])
            try db.execute(
                sql: "INSERT INTO identity_device VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    fixture.identity.name, fixture.identity.uuid, Data(key), Data(fixture.identity.deviceCertificate),
                    Data(fixture.identity.intermediates[0]), fixture.identity.rootFingerprint,
                ])
            try db.execute(
                sql: "INSERT INTO identity_leaf VALUES (?, ?, ?)",
                arguments: [
                    fixture.identity.uuid, Data(fixture.leaf.certificate), Data(fixture.leaf.privateKey),
                ])
        }
        try database.close()
    }

    @Test func itsIdentitiesAreTheSame() throws {
        let fixture = try Fixture.shared()
        for _ in 0..<2 {
            let store = try IdentityStore.open(stateDirectory: self.directory.path)
            #expect(try store.list() == [fixture.identity])
            #expect(try store.root(now: Fixture.now).fingerprint == fixture.authority.fingerprint)
            #expect(try store.currentLeaf(for: fixture.identity, now: Fixture.now) == fixture.leaf)
            try store.close()
        }
    }

    /// An older Castway tells by this table whether it can work with the others.
    @Test func anOlderCastwayCanGoBackToIt() throws {
        try IdentityStore.open(stateDirectory: self.directory.path).close()
        let database = try DatabaseQueue(path: self.directory.file("castway.db"))
        #expect(try database.read { try Int.fetchAll($0, sql: "SELECT version FROM identity_schema") } == [1])
        // The older one writes down all tables; the one that it does not know is not missed later.
        let marker = try String(contentsOfFile: self.directory.file("castway.state"), encoding: .utf8)
        #expect(!marker.contains("grdb_migrations"))
        try (marker + "table grdb_migrations identifier\n")
            .write(toFile: self.directory.file("castway.state"), atomically: true, encoding: .utf8)
        try database.write { try $0.execute(sql: "DROP TABLE grdb_migrations") }
        try database.close()
        #expect(try IdentityStore.open(stateDirectory: self.directory.path).list().count == 1)
    }

    @Test func tablesThatItHadNotMadeYetAreMade() throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseQueue(path: folder.file("castway.db"))
        try database.write { try $0.execute(sql: "CREATE TABLE identity_schema (version INTEGER NOT NULL) STRICT") }
        _ = try IdentityStore(database: database)
        #expect(try database.read { try $0.tableExists("identity_leaf") })
    }

    @Test func readingItChangesNothing() throws {
        let state = try StoredState.check(stateDirectory: self.directory.path, root: .generatedRoot)
        #expect(state.devices == [try Fixture.shared().identity])
        #expect(state.rows == ["identity_device": 1, "identity_leaf": 1, "identity_root": 1, "identity_schema": 1])
        let database = try DatabaseQueue(path: self.directory.file("castway.db"))
        #expect(try database.read { try !$0.tableExists("grdb_migrations") })
    }
}
