import GRDB
package import StateStore

/// Which handlers an operator has switched on or off for good, in the state database. A write is on disk when it returns.
package struct HandlerSwitchStore: Sendable {
    package static let schema = StateSchema(
        part: "handler", tables: "the table of handlers is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE handler_switch (
                    handler TEXT PRIMARY KEY,
                    enabled INTEGER NOT NULL
                ) STRICT;
                """)
        ])

    private let database: any DatabaseWriter

    /// Takes the state database and brings its table up to date; blocks.
    /// - Throws: when the table cannot be made, or is a newer Castway's.
    init(_ database: any DatabaseWriter) throws {
        self.database = database
        try Self.schema.migrate(database)
    }

    /// All that is kept: whether a handler is on, by its name; blocks.
    func load() throws -> [String: Bool] {
        try self.database.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT handler, enabled FROM handler_switch")
            return Dictionary(
                rows.map { ($0["handler"] as String, $0["enabled"] as Bool) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Keeps for handlers whether they are on, all or none; blocks.
    func keep(_ isEnabled: Bool, for handlers: [String]) throws {
        try self.database.write { db in
            for handler in handlers {
                try db.execute(
                    sql: """
                        INSERT INTO handler_switch (handler, enabled) VALUES (?, ?)
                        ON CONFLICT (handler) DO UPDATE SET enabled = excluded.enabled
                        """, arguments: [handler, isEnabled])
            }
        }
    }

    /// Forgets what is kept for handlers; blocks.
    func forget(_ handlers: [String]) throws {
        try self.database.write { db in
            for handler in handlers {
                try db.execute(sql: "DELETE FROM handler_switch WHERE handler = ?", arguments: [handler])
            }
        }
    }
}
