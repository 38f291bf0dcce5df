import CastWire
package import GRDB
import GatewayCore
package import NamespaceHandlers
package import StateStore

/// What of `launch` was chosen for good, in the state database. A write is on disk when it returns.
package struct LaunchChoiceStore: Sendable {
    package static let schema = StateSchema(
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
    package init(_ database: any DatabaseWriter) throws {
        self.database = database
        try Self.schema.migrate(database)
    }

    /// The name of a choice: the key's, and for the devices of one category `KEY@CATEGORY`.
    private static func name(_ key: LaunchChoices.Key, _ category: DeviceCategory?) -> String {
        category.map { "\(key.rawValue)@\($0)" } ?? key.rawValue
    }

    /// All that is kept; blocks. What this Castway does not know stays where it is.
    package func load() throws -> CategoryLaunchChoices {
        try self.database.read { db in
            var choices = CategoryLaunchChoices()
            for row in try Row.fetchAll(db, sql: "SELECT name, value FROM launch_choice") {
                let parts = (row["name"] as String).split(separator: "@", maxSplits: 1)
                guard let key = parts.first.flatMap({ LaunchChoices.Key(rawValue: String($0)) }) else { continue }
                let category = parts.dropFirst().first.map { DeviceCategory(rawValue: String($0)) }
                choices[category][key] = try? JSONReader.read(row["value"] as String)
            }
            return choices
        }
    }

    /// Keeps choices beside those that are kept; blocks.
    /// - Parameter category: for whose devices; nil for all.
    func keep(_ choices: LaunchChoices, for category: DeviceCategory?) throws {
        try self.database.write { db in
            for (key, value) in choices.values {
                try db.execute(
                    sql: """
                        INSERT INTO launch_choice (name, value) VALUES (?, ?)
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value
                        """, arguments: [Self.name(key, category), value.text])
            }
        }
    }

    /// Forgets choices; blocks.
    /// - Parameter category: those for whose devices; nil for those for all.
    func forget(_ keys: [LaunchChoices.Key], for category: DeviceCategory?) throws {
        try self.database.write { db in
            for key in keys {
                try db.execute(sql: "DELETE FROM launch_choice WHERE name = ?", arguments: [Self.name(key, category)])
            }
        }
    }
}
