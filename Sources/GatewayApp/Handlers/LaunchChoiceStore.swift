import CastWire
import GRDB
import NamespaceHandlers
import StateStore

/// What of `launch` was chosen for good, in the state database. A write is on disk when it returns.
struct LaunchChoiceStore: Sendable {
    private static let schema = StateSchema(
        part: "launch", tables: "the table of launch choices is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE launch_choice (
                    name TEXT PRIMARY KEY,
                    value TEXT NOT NULL
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

    /// All that is kept; blocks. What this Castway does not know stays where it is.
    func load() throws -> LaunchChoices {
        try self.database.read { db in
            var choices = LaunchChoices()
            for row in try Row.fetchAll(db, sql: "SELECT name, value FROM launch_choice") {
                guard let key = LaunchChoices.Key(rawValue: row["name"]) else { continue }
                choices[key] = try? JSONReader.read(row["value"] as String)
            }
            return choices
        }
    }

    /// Keeps choices beside those that are kept; blocks.
    func keep(_ choices: LaunchChoices) throws {
        try self.database.write { db in
            for (key, value) in choices.values {
                try db.execute(
                    sql: """
                        INSERT INTO launch_choice (name, value) VALUES (?, ?)
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value
                        """, arguments: [key.rawValue, value.text])
            }
        }
    }

    /// Forgets choices; blocks.
    func forget(_ keys: [LaunchChoices.Key]) throws {
        try self.database.write { db in
            for key in keys {
                try db.execute(sql: "DELETE FROM launch_choice WHERE name = ?", arguments: [key.rawValue])
            }
        }
    }
}
