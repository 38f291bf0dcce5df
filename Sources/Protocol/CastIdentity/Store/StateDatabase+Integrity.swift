import GRDB
import StateStore

extension StateDatabase {
    /// The thoroughness with which the pages of the file are checked.
    enum Thoroughness: String {
        /// Without comparing indexes with their tables: at every start.
        case quick = "quick_check"
        case full = "integrity_check"
    }

    /// Checks that the database in a directory is what was left there, before anything is changed in it.
    ///
    /// A directory without a marker and without tables is one where nothing was made yet.
    ///
    /// - Parameter root: Where the root comes from: one that Castway made must not be made a second time.
    /// - Throws: ``IdentityError/databaseLost(path:)`` or ``IdentityError/databaseDamaged(path:reason:)``.
    static func verify(
        directory: String, root: RootSource, thoroughness: Thoroughness = .quick
    ) throws(IdentityError) {
        let path = Self.path(in: directory)
        let marker = StateMarker.read(directory: directory)
        guard let size = StateFile.size(path), size > 0 else {
            // SQLite would throw a write-ahead log away that has lost its database.
            let hasLog = (StateFile.size(path + "-wal") ?? 0) > 0
            guard marker == nil, !hasLog else { throw .databaseLost(path: path) }
            return
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Self.busyTimeout)
        let database: DatabaseQueue
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            let error = IdentityError(database: error, path: path)
            // A directory that takes no writing is read in another way.
            guard error.isRefusedWriting else { throw error }
            return
        }
        do throws(IdentityError) {
            try database.reading { db in
                try Self.verify(db, path: path, marker: marker, root: root, thoroughness: thoroughness)
            }
        } catch {
            try? database.close()
            guard error.isRefusedWriting else { throw error }
        }
        try? database.close()
    }

    /// Checks an open database.
    /// - Throws: ``IdentityError/databaseDamaged(path:reason:)``, or what reading it throws.
    static func verify(
        _ db: Database, path: String, marker: StateMarker?, root: RootSource, thoroughness: Thoroughness
    ) throws {
        let verdict = try String.fetchOne(db, sql: "PRAGMA \(thoroughness.rawValue)(1)") ?? "no answer"
        guard verdict == "ok" else { throw IdentityError.databaseDamaged(path: path, reason: verdict) }
        let tables = try StateMarker.tables(db)
        for (name, columns) in try Self.expectedTables(tables, marker: marker) {
            guard let present = tables[name] else {
                throw IdentityError.databaseDamaged(path: path, reason: "the table \(name) is missing")
            }
            if let column = columns.first(where: { !present.contains($0) }) {
                throw IdentityError.databaseDamaged(
                    path: path, reason: "the table \(name) has no column \(column)")
            }
        }
        guard case .generatedRoot = root, marker?.root != nil, try RootRow.fetch(db) == nil else { return }
        throw IdentityError.databaseDamaged(path: path, reason: "the root that was made is missing")
    }

    /// The tables that have to be there, in the order of their names.
    private static func expectedTables(
        _ present: [String: [String]], marker: StateMarker?
    ) throws -> [(key: String, value: [String])] {
        // Nothing at all is what a start leaves that was ended in its first moment.
        if marker == nil, present.isEmpty { return [] }
        var expected = marker?.tables ?? [:]
        if expected.isEmpty {
            // A directory of an older Castway has no marker.
            let reference = try DatabaseQueue()
            try StateSchema.migrateIdentities(reference)
            expected = try reference.read { try StateMarker.tables($0) }
            // What later versions add is added when the database is opened.
            expected = expected.filter { present[$0.key] != nil || Self.firstTables.contains($0.key) }
                .mapValues { _ in [] }
        }
        return expected.sorted { $0.key < $1.key }
    }

    /// The tables that every Castway had.
    private static let firstTables: Set<String> = [
        "identity_schema", "identity_root", "identity_device", "identity_leaf",
    ]
}
