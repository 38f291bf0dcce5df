import GRDB

/// The session tables of the state database.
///
/// A step is applied and counted in one transaction that locks out other processes from its first statement.
enum SessionSchema {
    private static let steps: [String] = [
        """
        CREATE TABLE session_record (
            device TEXT PRIMARY KEY,
            details TEXT NOT NULL
        ) STRICT;
        """
    ]

    /// A newer Castway has changed the tables.
    struct TooNew: Error, CustomStringConvertible {
        let version: Int

        var description: String { "the session tables are of version \(self.version), made by a newer Castway" }
    }

    /// Brings the tables up to date.
    static func migrate(_ database: any DatabaseWriter) throws {
        try database.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS session_schema (version INTEGER NOT NULL) STRICT")
            let version = try Int.fetchOne(db, sql: "SELECT max(version) FROM session_schema") ?? 0
            guard version <= Self.steps.count else { throw TooNew(version: version) }
            for (index, step) in Self.steps.enumerated().dropFirst(max(0, version)) {
                try db.execute(sql: step)
                try db.execute(sql: "INSERT INTO session_schema (version) VALUES (?)", arguments: [index + 1])
            }
        }
    }
}
