import CastwayTestSupport
import Foundation
import GRDB
import Testing

@testable import CastIdentity

@Suite struct StateDatabaseTests {
    let directory: TemporaryFolder

    init() throws {
        self.directory = try TemporaryFolder()
    }

    @Test func filesAreForTheOwnerOnly() throws {
        let path = self.directory.file("a/state/")
        let store = try IdentityStore.open(stateDirectory: path)
        #expect(try Self.mode(self.directory.file("a/state")) == 0o700)
        for name in ["castway.db", "castway.db-wal", "castway.db-shm"] {
            #expect(try Self.mode(path + name) == 0o600, "\(name)")
        }
        #expect(try store.database.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        #expect(try store.database.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
    }

    @Test func widerModeOfAnExistingFileIsNarrowed() throws {
        let file = try self.directory.write([], to: "castway.db")
        #expect(chmod(file, 0o644) == 0)
        _ = try StateDatabase.open(directory: self.directory.path)
        #expect(try Self.mode(file) == 0o600)
    }

    @Test func fileThatIsNoDatabaseIsReported() throws {
        let file = try self.directory.write(Array(repeating: 0x55, count: 8_192), to: "castway.db")
        let error = #expect(throws: IdentityError.self) {
            try IdentityStore.open(stateDirectory: self.directory.path)
        }
        #expect(error == .databaseDamaged(path: file, reason: "file is not a database"))
        #expect(
            error?.description.hasPrefix("state database \(file): is damaged: file is not a database; bring a backup")
                == true)
    }

    @Test func overwrittenPagesAreReported() throws {
        let file = self.directory.file("castway.db")
        do {
            let store = try IdentityStore.open(stateDirectory: self.directory.path)
            try store.database.close()
        }
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        for index in 100..<bytes.count { bytes[index] = 0xFF }
        _ = try self.directory.write(bytes, to: "castway.db")
        let error = #expect(throws: IdentityError.self) {
            let store = try IdentityStore.open(stateDirectory: self.directory.path)
            _ = try store.list()
        }
        guard case .databaseDamaged(path: file, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func fileInPlaceOfTheDirectoryIsReported() throws {
        let file = try self.directory.write([], to: "state")
        for path in [file, file + "/below"] {
            #expect(throws: IdentityError.stateDirectoryUnusable(path: path, reason: "Not a directory")) {
                try StateDatabase.open(directory: path)
            }
        }
        #expect(throws: IdentityError.stateDirectoryUnusable(path: "", reason: "the path is empty")) {
            try StateDatabase.open(directory: "")
        }
    }

    @Test func directoryInPlaceOfTheFileIsReported() throws {
        let path = self.directory.file("castway.db")
        #expect(mkdir(path, 0o700) == 0)
        #expect(throws: IdentityError.databaseFailed(path: path, reason: "it is not a file")) {
            try StateDatabase.open(directory: self.directory.path)
        }
    }

    @Test(.timeLimit(.minutes(1))) func readOnlyDirectoryIsReported() async throws {
        #expect(chmod(self.directory.path, 0o555) == 0)
        await #expect(processExitsWith: .success) { [path = self.directory.path as String] in
            // The superuser may write anywhere, so the process becomes the user `nobody`.
            if geteuid() == 0 { #expect(setuid(65_534) == 0) }
            for path in [path, path + "/below"] {
                #expect(throws: IdentityError.stateDirectoryReadOnly(path: path)) {
                    try StateDatabase.open(directory: path)
                }
            }
        }
    }

    @Test func databaseOfANewerCastwayIsLeftAlone() throws {
        let database = try DatabaseQueue()
        _ = try IdentityStore(database: database)
        try database.write { try $0.execute(sql: "INSERT INTO identity_schema VALUES (7)") }
        #expect(throws: IdentityError.databaseTooNew(path: ":memory:", version: 7)) {
            try IdentityStore(database: database)
        }
    }

    @Test func migratingTwiceChangesNothing() throws {
        let database = try DatabaseQueue()
        let first = try IdentityStore(database: database)
        try Fixture.save(try Fixture.shared().authority, in: first)
        let second = try IdentityStore(database: database)
        #expect(try second.root(now: Fixture.now).fingerprint == Fixture.shared().authority.fingerprint)
        let names = try database.read {
            try String.fetchAll(
                $0, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'")
        }
        #expect(names.allSatisfy { $0.hasPrefix("identity_") })
        #expect(names.count == 4)
    }

    @Test func longLockOfAnotherConnectionIsReported() throws {
        let path = self.directory.file("other.db")
        var configuration = Configuration()
        configuration.journalMode = .wal
        let holder = try DatabaseQueue(path: path, configuration: configuration)
        let store = try IdentityStore(database: try DatabaseQueue(path: path, configuration: configuration))
        try holder.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let error = #expect(throws: IdentityError.self) {
                try store.database.writing { try $0.execute(sql: "DELETE FROM identity_root") }
            }
            guard case .databaseBusy = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try db.execute(sql: "ROLLBACK")
        }
    }

    private static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw IdentityError.fileMissing(path: path) }
        return status.st_mode & 0o777
    }
}
