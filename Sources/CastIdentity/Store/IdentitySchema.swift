import GRDB

/// The identity tables of the state database.
///
/// Each migration is applied and counted in one transaction that locks out other processes from its first statement,
/// so two programs that open a new database at once do not both apply it.
enum IdentitySchema {
    private static let migrations: [String] = [
        """
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
        """
    ]

    /// Brings the tables up to date.
    static func migrate(_ database: any DatabaseWriter) throws(IdentityError) {
        let path = database.path
        try database.change { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS identity_schema (version INTEGER NOT NULL) STRICT")
            let version = try Int.fetchOne(db, sql: "SELECT max(version) FROM identity_schema") ?? 0
            guard version <= Self.migrations.count else {
                throw IdentityError.databaseTooNew(path: path, version: version)
            }
            for (index, migration) in Self.migrations.enumerated().dropFirst(max(0, version)) {
                try db.execute(sql: migration)
                try db.execute(sql: "INSERT INTO identity_schema (version) VALUES (?)", arguments: [index + 1])
            }
        }
    }
}
