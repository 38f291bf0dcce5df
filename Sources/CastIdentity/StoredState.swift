import GRDB

/// What a state directory holds, read without changing or making anything, also beside a gateway that runs.
public struct StoredState: Sendable {
    /// The root that vouches for the devices; `nil` when none has been made yet.
    public let root: RootCertificate?

    /// The stored identities, in the order of their devices' names.
    public let devices: [DeviceIdentity]

    /// How many rows every table has, by the table's name.
    public let rows: [String: Int]

    /// Reads the database of a state directory.
    ///
    /// - Parameters:
    ///   - stateDirectory: A path.
    ///   - root: Where the root comes from.
    /// - Throws: ``IdentityError/databaseMissing(path:)`` where nothing has been made yet,
    ///   ``IdentityError/databaseLost(path:)``, ``IdentityError/databaseDamaged(path:reason:)``, or another error of the
    ///   database or of the root.
    public static func read(stateDirectory: String, root: RootSource) throws(IdentityError) -> StoredState {
        try self.read(stateDirectory: stateDirectory, root: root, thoroughness: .quick)
    }

    /// Reads the database of a state directory, and looks at every page and every identity in it.
    ///
    /// - Throws: As ``read(stateDirectory:root:)``.
    public static func check(stateDirectory: String, root: RootSource) throws(IdentityError) -> StoredState {
        try self.read(stateDirectory: stateDirectory, root: root, thoroughness: .full)
    }

    private static func read(
        stateDirectory: String, root: RootSource, thoroughness: StateDatabase.Thoroughness
    ) throws(IdentityError) -> StoredState {
        let path = StateDatabase.path(in: stateDirectory)
        let marker = StateMarker.read(directory: stateDirectory)
        guard let size = StateFile.size(path), size > 0 else {
            throw marker == nil ? .databaseMissing(path: path) : .databaseLost(path: path)
        }
        let copy = try StateDatabase.copyToMemory(directory: stateDirectory)
        return try Self.read(copy, path: path, marker: marker, root: root, thoroughness: thoroughness)
    }

    /// Reads an open database that may be changed, since it is a copy.
    static func read(
        _ copy: any DatabaseWriter, path: String, marker: StateMarker?, root: RootSource,
        thoroughness: StateDatabase.Thoroughness
    ) throws(IdentityError) -> StoredState {
        do {
            let rows = try copy.read { db in
                try StateDatabase.verify(db, path: path, marker: marker, root: root, thoroughness: thoroughness)
                return try StateMarker.tables(db).keys.reduce(into: [String: Int]()) { rows, name in
                    rows[name] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name.quotedDatabaseIdentifier)")
                }
            }
            // A database of an older Castway lacks tables; the copy is brought up to date, the file stays.
            let store = try IdentityStore(database: copy, root: root)
            return StoredState(root: try store.storedRoot(), devices: try store.list(), rows: rows)
        } catch {
            throw IdentityError(database: error, path: path)
        }
    }
}

extension IdentityStore {
    /// The root as it is, expired or not; `nil` when none has been made.
    fileprivate func storedRoot() throws(IdentityError) -> RootCertificate? {
        if let configured = self.configuredRoot { return try configured.described() }
        return try self.database.look({ try RootRecord.fetch($0) })?.authority().described()
    }
}
