import CastwayTestSupport
import Foundation
import GRDB
import Testing

@testable import CastIdentity

/// A database that is damaged or gone is an error, and never replaced by a new one.
@Suite(.timeLimit(.minutes(2))) struct StateLossTests {
    let directory: TemporaryFolder
    let file: String

    init() throws {
        self.directory = try TemporaryFolder()
        self.file = self.directory.file("castway.db")
        let store = try IdentityStore.open(stateDirectory: self.directory.path)
        try Fixture.save(try Fixture.shared().authority, in: store)
        _ = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        try store.remember()
        try store.close()
    }

    private func open() throws(IdentityError) -> IdentityStore {
        try IdentityStore.open(stateDirectory: self.directory.path)
    }

    private func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: self.file)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func damage(_ sql: String) throws -> String? {
        try self.change(sql)
        let error = #expect(throws: IdentityError.self) { try self.open() }
        guard case .databaseDamaged(_, let reason) = error else { return nil }
        return reason
    }

    @Test func theOneFileIsAllOfIt() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: self.directory.path).sorted()
        #expect(names == ["castway.db", "castway.state"])
        let other = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: self.file, toPath: other.file("castway.db"))
        let copy = try IdentityStore.open(stateDirectory: other.path)
        #expect(try copy.list().map(\.name) == ["Kitchen"])
    }

    @Test func aCheckpointBringsAllIntoTheFileOfAnOpenDatabase() throws {
        let store = try self.open()
        _ = try store.loadOrCreate(device: "Hall", now: Fixture.now)
        try store.checkpoint()
        let other = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: self.file, toPath: other.file("castway.db"))
        #expect(try IdentityStore.open(stateDirectory: other.path).list().map(\.name) == ["Hall", "Kitchen"])
    }

    @Test func missingAndEmptyFilesAreLosses() throws {
        try FileManager.default.removeItem(atPath: self.file)
        #expect(throws: IdentityError.databaseLost(path: self.file)) { try self.open() }
        #expect(!FileManager.default.fileExists(atPath: self.file))
        try self.directory.write([], to: "castway.db")
        let error = #expect(throws: IdentityError.databaseLost(path: self.file)) { try self.open() }
        #expect(error?.description.contains("castway state restore FILE") == true)
        #expect(error?.description.contains("castway state reset") == true)
    }

    @Test func aLogWithoutItsDatabaseIsKept() throws {
        try FileManager.default.removeItem(atPath: self.file)
        try FileManager.default.removeItem(atPath: self.directory.file("castway.state"))
        try self.directory.write([1, 2, 3], to: "castway.db-wal")
        #expect(throws: IdentityError.databaseLost(path: self.file)) { try self.open() }
        #expect(FileManager.default.fileExists(atPath: self.directory.file("castway.db-wal")))
    }

    @Test(arguments: [1, 100, 4096, 8192]) func shorterFilesAreDamage(length: Int) throws {
        let bytes = try Data(contentsOf: URL(filePath: self.file))
        try self.directory.write(Array(bytes.prefix(length)), to: "castway.db")
        let error = #expect(throws: IdentityError.self) { try self.open() }
        if case .databaseDamaged(self.file, _) = error { return }
        Issue.record("\(String(describing: error))")
    }

    @Test func lostTablesAndColumnsAreDamage() throws {
        #expect(try self.damage("DROP TABLE identity_leaf") == "the table identity_leaf is missing")
    }

    @Test func aLostSchemaIsDamage() throws {
        #expect(
            try self.damage("DROP TABLE identity_schema; DROP TABLE identity_root; DROP TABLE identity_leaf")
                == "the table identity_leaf is missing")
    }

    @Test func allTablesLostIsDamage() throws {
        let drop = ["schema", "root", "leaf", "device"].map { "DROP TABLE identity_\($0);" }.joined()
        #expect(try self.damage(drop) == "the table identity_device is missing")
    }

    @Test func aLostColumnIsDamage() throws {
        #expect(
            try self.damage("ALTER TABLE identity_device DROP COLUMN intermediate")
                == "the table identity_device has no column intermediate")
    }

    @Test func aLostRootIsDamageUnlessAnotherIsNamed() throws {
        #expect(try self.damage("DELETE FROM identity_root") == "the root that was made is missing")
        let named = try Fixture.pem(try Fixture.shared().otherAuthority)
        #expect(try IdentityStore.open(stateDirectory: self.directory.path, root: named).list().count == 1)
    }

    /// A directory of an older Castway has no marker.
    @Test func withoutAMarkerTablesAreMissedAllTheSame() throws {
        try FileManager.default.removeItem(atPath: self.directory.file("castway.state"))
        #expect(try self.open().list().count == 1)
        #expect(FileManager.default.fileExists(atPath: self.directory.file("castway.state")))
        try FileManager.default.removeItem(atPath: self.directory.file("castway.state"))
        #expect(try self.damage("DROP TABLE identity_schema") == "the table identity_schema is missing")
    }

    @Test func reading() throws {
        let state = try StoredState.check(stateDirectory: self.directory.path, root: .generatedRoot)
        #expect(state.devices.map(\.name) == ["Kitchen"])
        #expect(state.root?.fingerprint == state.devices.first?.rootFingerprint)
        let none = try TemporaryFolder()
        #expect(throws: IdentityError.databaseMissing(path: none.file("castway.db"))) {
            try StoredState.read(stateDirectory: none.path, root: .generatedRoot)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: none.path).isEmpty)
        try FileManager.default.removeItem(atPath: self.file)
        #expect(throws: IdentityError.databaseLost(path: self.file)) {
            try StoredState.read(stateDirectory: self.directory.path, root: .generatedRoot)
        }
    }

    @Test func theLockHasOneHolder() throws {
        let path = self.directory.path
        #expect(StateLock.holder(directory: path) == nil)
        let lock = try #require(try StateLock.acquire(directory: path))
        #expect(throws: IdentityError.stateInUse(path: path, process: Int(getpid()))) {
            _ = try StateLock.acquire(directory: path)
        }
        #expect(StateLock.holder(directory: path) == Int(getpid()))
        lock.release()
        #expect(StateLock.holder(directory: path) == nil)
        #expect(try StateLock.acquire(directory: path) != nil)
    }
}
