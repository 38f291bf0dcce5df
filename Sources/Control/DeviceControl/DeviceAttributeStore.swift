import GRDB
package import StateStore

/// What callers keep with devices, by the devices' ids, in the state database. A write is on disk when it returns.
package struct DeviceAttributeStore: Sendable {
    package static let schema = StateSchema(
        part: "attribute", tables: "the table of device attributes is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE attribute_value (
                    device TEXT NOT NULL,
                    name TEXT NOT NULL,
                    value TEXT NOT NULL,
                    PRIMARY KEY (device, name)
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

    /// All that is kept, by device and name; blocks.
    func load() throws -> [String: [String: String]] {
        try self.database.read { db in
            var all: [String: [String: String]] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT device, name, value FROM attribute_value") {
                all[row["device"], default: [:]][row["name"]] = row["value"]
            }
            return all
        }
    }

    /// Writes what is kept with a device, in the place of what was; blocks.
    func write(_ attributes: [String: String], of device: String) throws {
        try self.database.write { db in
            try db.execute(sql: "DELETE FROM attribute_value WHERE device = ?", arguments: [device])
            for (name, value) in attributes {
                try db.execute(
                    sql: "INSERT INTO attribute_value (device, name, value) VALUES (?, ?, ?)",
                    arguments: [device, name, value])
            }
        }
    }
}
