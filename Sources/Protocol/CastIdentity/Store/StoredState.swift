import GRDB
import Glibc
import StateStore

/// The contents of a state directory, read without changing or making anything, also beside a gateway that runs.
package struct StoredState: Sendable {
    /// The root that vouches for the devices; `nil` when none has been made yet.
    package let root: RootCertificate?

    /// The stored identities, in the order of their devices' names.
    package let devices: [DeviceIdentity]

    /// The number of rows every table has, by the table's name.
    package let rows: [String: Int]

    /// Reads the database of a state directory.
    ///
    /// - Throws: ``IdentityError/databaseMissing(path:)`` where nothing has been made yet,
    ///   ``IdentityError/databaseLost(path:)``, ``IdentityError/databaseDamaged(path:reason:)``, or another error of the
    ///   database or of the root.
    package static func read(stateDirectory: String, root: RootSource) throws(IdentityError) -> StoredState {
        try self.read(stateDirectory: stateDirectory, root: root, thoroughness: .quick)
    }

    /// Reads the database of a state directory, and checks every page and every identity in it.
    ///
    /// - Throws: As ``read(stateDirectory:root:)``.
    package static func check(stateDirectory: String, root: RootSource) throws(IdentityError) -> StoredState {
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
        return try self.database.reading({ try RootRow.fetch($0) })?.authority().described()
    }
}

/// The identities of a state directory, found out without changing anything, also beside a gateway that runs.
package struct IdentitySummary: Sendable, Equatable {
    /// The time in which a certificate may be used, both ends included, in seconds since 1970.
    package struct Span: Sendable, Equatable {
        package let notBefore: Int64
        package let notAfter: Int64
    }

    /// The root; `nil` when it has not been made yet.
    package let root: Span?

    /// The newest TLS certificate of each virtual device that has one, by the device's name.
    package let leaves: [String: Span]

    /// Reads the summary.
    ///
    /// - Parameter stateDirectory: A path; nothing is there before the first run.
    /// - Throws: A root error when the PEM pair can not be used, a database error when the file can not be read.
    package static func read(stateDirectory: String, root: RootSource) throws(IdentityError) -> IdentitySummary {
        var span: Span?
        if case .pem(let certificate, let privateKey) = root {
            span = Span(try RootAuthority(pemCertificate: certificate, pemKey: privateKey).validity)
        }
        guard access(StateDatabase.path(in: stateDirectory), F_OK) == 0 else {
            return IdentitySummary(root: span, leaves: [:])
        }
        let copy = try StateDatabase.copyToMemory(directory: stateDirectory)
        // A database of an older Castway lacks tables; the copy is brought up to date, the file stays.
        try StateSchema.migrateIdentities(copy)
        if span == nil, let own = try copy.reading({ try RootRow.fetch($0) }) {
            span = Span(try own.authority().validity)
        }
        let leaves = try copy.reading { db in
            var leaves: [String: Span] = [:]
            for device in try DeviceRow.fetchAll(db) {
                guard let leaf = try LeafRow.fetch(db, deviceUUID: device.uuid) else { continue }
                leaves[device.name] = Span(Validity(notBefore: leaf.notBefore, notAfter: leaf.notAfter))
            }
            return leaves
        }
        return IdentitySummary(root: span, leaves: leaves)
    }
}

extension IdentitySummary.Span {
    fileprivate init(_ validity: Validity) {
        self.init(notBefore: validity.notBefore, notAfter: validity.notAfter)
    }
}
