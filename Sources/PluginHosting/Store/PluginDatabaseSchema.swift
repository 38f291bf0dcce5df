import GRDB

/// The table of the state database that plugins keep values in.
enum PluginDatabaseSchema {
    private static let steps: [String] = [
        """
        CREATE TABLE plugin_value (
            plugin TEXT NOT NULL,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (plugin, key)
        ) STRICT, WITHOUT ROWID;
        """
    ]

    /// A newer Castway has changed the table.
    struct TooNew: Error, CustomStringConvertible {
        let version: Int

        var description: String { "the table of plugins is of version \(self.version), made by a newer Castway" }
    }

    /// Brings the table up to date.
    static func migrate(_ database: any DatabaseWriter) throws {
        try database.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS plugin_schema (version INTEGER NOT NULL) STRICT")
            let version = try Int.fetchOne(db, sql: "SELECT max(version) FROM plugin_schema") ?? 0
            guard version <= Self.steps.count else { throw TooNew(version: version) }
            for (index, step) in Self.steps.enumerated().dropFirst(max(0, version)) {
                try db.execute(sql: step)
                try db.execute(sql: "INSERT INTO plugin_schema (version) VALUES (?)", arguments: [index + 1])
            }
        }
    }
}
