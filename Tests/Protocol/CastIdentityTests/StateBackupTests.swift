import CastwayTestSupport
import Foundation
import GRDB
import StateStore
import Testing

@testable import CastIdentity

/// Backups that are made beside a gateway, and brought back.
@Suite(.timeLimit(.minutes(2))) struct StateBackupTests {
    let directory: TemporaryFolder
    let folder: TemporaryFolder
    let store: IdentityStore

    init() throws {
        self.directory = try TemporaryFolder()
        self.folder = try TemporaryFolder()
        self.store = try IdentityStore.open(stateDirectory: self.directory.path)
        try Fixture.save(try Fixture.shared().authority, in: self.store)
        _ = try self.store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        try self.store.remember()
    }

    private var backup: String { self.folder.file("backup.db") }

    private func make() throws(IdentityError) -> StoredState {
        try StateBackup.make(of: self.directory.path, to: self.backup, root: .generatedRoot).state
    }

    private static let parts = StateBackup.Parts(
        schemas: [
            StateSchema(
                part: "song", tables: "the songs are",
                steps: [StateSchema.sql("CREATE TABLE song_line (text TEXT) STRICT")])
        ],
        outbox: StateSchema(
            part: "outbox", tables: "the outbox is",
            steps: [StateSchema.sql("CREATE TABLE outbox_message (body TEXT) STRICT")]))

    private func restore(_ file: String? = nil, to path: String) throws(IdentityError) -> String? {
        try StateBackup.restore(file ?? self.backup, to: path, root: .generatedRoot, now: 1_700_000_000).aside
    }

    /// The store is open, and what it wrote last is in the log alone.
    @Test func aBackupIsOneWholeFileForTheOwner() throws {
        let made = try self.make()
        #expect(made.devices.map(\.name) == ["Kitchen"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path) == ["backup.db"])
        var info = stat()
        #expect(stat(self.backup, &info) == 0 && info.st_mode & 0o777 == 0o600)
        #expect(throws: IdentityError.self) { try self.make() }
        let other = try TemporaryFolder()
        #expect(try self.restore(to: other.file("new/state")) == nil)
        let restored = try IdentityStore.open(stateDirectory: other.file("new/state"))
        #expect(try restored.list() == self.store.list())
        #expect(try restored.root(now: Fixture.now) == self.store.root(now: Fixture.now))
        #expect(stat(other.file("new/state/castway.db"), &info) == 0 && info.st_mode & 0o777 == 0o600)
    }

    @Test func whatWasThereIsKept() throws {
        _ = try self.make()
        _ = try self.store.loadOrCreate(device: "Hall", now: Fixture.now)
        try self.store.database.close()
        let first = try #require(try self.restore(to: self.directory.path))
        let second = try #require(try self.restore(to: self.directory.path))
        #expect(first != second && first.hasSuffix(".old"))
        #expect(try IdentityStore.open(stateDirectory: self.directory.path).list().map(\.name) == ["Kitchen"])
        let old = try DatabaseQueue(path: first)
        let names = try old.read { try String.fetchAll($0, sql: "SELECT name FROM identity_device ORDER BY name") }
        #expect(names == ["Hall", "Kitchen"])
    }

    /// A log that stays behind would be taken for the next database's.
    @Test func theLogOfALostDatabaseGoesWithIt() throws {
        _ = try self.make()
        try self.store.database.close()
        try self.directory.write(Array(repeating: 0x55, count: 5000), to: "castway.db")
        try self.directory.write(Array(repeating: 0x77, count: 5000), to: "castway.db-wal")
        let aside = try #require(try self.restore(to: self.directory.path))
        #expect(FileManager.default.fileExists(atPath: aside + "-wal"))
        #expect(try IdentityStore.open(stateDirectory: self.directory.path).list().map(\.name) == ["Kitchen"])
    }

    @Test func restoringIsForGatewaysThatDoNotRun() throws {
        _ = try self.make()
        let lock = try #require(try StateLock.acquire(directory: self.directory.path))
        let expected = IdentityError.stateInUse(path: self.directory.path, process: Int(getpid()))
        #expect(throws: expected) { try self.restore(to: self.directory.path) }
        #expect(throws: expected) { try StateBackup.reset(self.directory.path, now: 0) }
        lock.release()
    }

    @Test func aBadBackupChangesNothing() throws {
        _ = try self.make()
        let whole = try Data(contentsOf: URL(filePath: self.backup))
        let before = try self.store.list()
        let garbage = try self.folder.write(Array(repeating: 0x55, count: 8192), to: "garbage")
        let short = try self.folder.write(Array(whole.dropLast(4096)), to: "short")
        let empty = try self.folder.write([], to: "empty")
        let other = self.folder.file("other")
        let queue = try DatabaseQueue(path: other)
        try queue.write { try $0.execute(sql: "CREATE TABLE poems (line TEXT)") }
        try queue.close()
        for file in [garbage, short, empty, other, self.folder.file("missing")] {
            #expect(throws: IdentityError.self, "\(file)") { try self.restore(file, to: self.directory.path) }
        }
        #expect(try self.store.list() == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: self.directory.path)
        #expect(!names.contains { $0.hasSuffix(".old") || $0.hasSuffix(".new") })
    }

    /// What waits for bridges is in a database of its own, which comes and goes with the backup.
    @Test func theOutboxIsBackedUpBeside() throws {
        let outbox = self.directory.file("outbox.db")
        let queue = try DatabaseQueue(path: outbox)
        try #require(Self.parts.outbox).migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO outbox_message VALUES ('hello')") }
        let made = try StateBackup.make(
            of: self.directory.path, to: self.backup, root: .generatedRoot, parts: Self.parts)
        #expect(made.outbox == self.backup + ".outbox")
        var info = stat()
        #expect(stat(self.backup + ".outbox", &info) == 0 && info.st_mode & 0o777 == 0o600)
        let other = try TemporaryFolder()
        let restored = try StateBackup.restore(
            self.backup, to: other.path, root: .generatedRoot, now: 1, parts: Self.parts)
        #expect(restored.hasOutbox)
        let copy = try DatabaseQueue(path: other.file("outbox.db"))
        #expect(try copy.read { try String.fetchAll($0, sql: "SELECT body FROM outbox_message") } == ["hello"])
        // Without one the outbox that is there stays.
        #expect(unlink(self.backup + ".outbox") == 0)
        #expect(
            try !StateBackup.restore(self.backup, to: other.path, root: .generatedRoot, now: 2, parts: Self.parts)
                .hasOutbox)
        #expect(FileManager.default.fileExists(atPath: other.file("outbox.db")))
    }

    /// Each is a whole database with all identities, and yet none that this Castway has made.
    @Test(arguments: [
        "DROP TABLE song_line", "UPDATE song_schema SET version = 99",
        "CREATE TRIGGER t AFTER INSERT ON identity_device BEGIN DELETE FROM identity_root; END",
        "CREATE VIEW v AS SELECT 1",
    ])
    func aBackupThatDoesNotFitIsRefused(_ statement: String) throws {
        for schema in Self.parts.schemas { try schema.migrate(self.store.database) }
        _ = try StateBackup.make(of: self.directory.path, to: self.backup, root: .generatedRoot, parts: Self.parts)
        let queue = try DatabaseQueue(path: self.backup)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
        let other = try TemporaryFolder()
        let error = #expect(throws: IdentityError.self) {
            try StateBackup.restore(self.backup, to: other.path, root: .generatedRoot, now: 1, parts: Self.parts)
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("backup \(self.backup): cannot be used: ") && !text.contains("reset"), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: other.file("castway.db")))
    }

    /// The superuser gives what it makes in the directory to the directory's owner, who may have put a link there.
    @Test func theLockIsNoLink() throws {
        let other = try TemporaryFolder()
        let target = try other.write([1], to: "target")
        let folder = other.file("state")
        #expect(mkdir(folder, 0o700) == 0 && symlink(target, folder + "/castway.lock") == 0)
        #expect(throws: IdentityError.self) { try StateLock.acquire(directory: folder) }
        #expect(unlink(folder + "/castway.lock") == 0 && link(target, folder + "/castway.lock") == 0)
        #expect(throws: IdentityError.self) { try StateLock.acquire(directory: folder) }
        #expect(try Data(contentsOf: URL(filePath: target)) == Data([1]))
    }

    @Test func aFullDiskIsTold() throws {
        #expect(self.store.writingObstacle(free: { _ in Int64(1 << 30) }) == nil)
        #expect(self.store.writingObstacle(free: { _ in 0 })?.contains("is full") == true)
    }

    @Test func whatIsDamagedIsNotBackedUp() throws {
        try self.store.close()
        try self.directory.write(Array(repeating: 0x55, count: 8192), to: "castway.db")
        #expect(throws: IdentityError.self) { try self.make() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path).isEmpty)
    }

    @Test func aResetMakesWayForNewIdentities() throws {
        try self.store.close()
        let aside = try #require(try StateBackup.reset(self.directory.path, now: 1))
        #expect(FileManager.default.fileExists(atPath: aside))
        let fresh = try IdentityStore.open(stateDirectory: self.directory.path)
        #expect(try fresh.list().isEmpty)
        #expect(try StateBackup.reset(self.folder.path, now: 1) == nil)
    }
}
