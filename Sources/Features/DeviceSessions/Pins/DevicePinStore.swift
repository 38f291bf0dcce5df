package import CastDiscovery
package import GRDB
package import StateStore

/// Keeps pins in the state database. Every method blocks on the disk.
package struct DevicePinStore: Sendable {
    package static let schema = StateSchema(
        part: "pin", tables: "the tables of discovered devices are",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE pin_device (
                    id TEXT PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    port INTEGER NOT NULL,
                    friendly_name TEXT NOT NULL,
                    model TEXT NOT NULL,
                    capabilities INTEGER NOT NULL,
                    pinned_at INTEGER NOT NULL,
                    seen_at INTEGER NOT NULL
                ) STRICT;
                """),
            StateSchema.sql("ALTER TABLE pin_device ADD COLUMN host TEXT;"),
        ])

    private let database: any DatabaseWriter

    /// Takes the state database and brings its tables up to date.
    /// - Throws: when the tables cannot be made, or are a newer Castway's.
    package init(database: any DatabaseWriter) throws {
        self.database = database
        try Self.schema.migrate(database)
    }

    /// All pins, the oldest first.
    /// - Throws: when the database cannot be read.
    package func load() throws -> [DevicePin] {
        try self.database.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM pin_device ORDER BY pinned_at, id").compactMap { row in
                // Ids are written as they are read, so that of a row is one.
                DeviceID(row["id"] as String).map { id in
                    DevicePin(
                        id: id, name: row["name"], port: row["port"],
                        traits: DevicePin.Traits(
                            friendlyName: row["friendly_name"], model: row["model"],
                            capabilities: DeviceCapabilities(
                                rawValue: UInt64(bitPattern: row["capabilities"] as Int64))),
                        host: row["host"], pinnedAt: row["pinned_at"], seenAt: row["seen_at"])
                }
            }
        }
    }

    /// Writes a pin down, in the place of what was written of its device.
    /// - Parameter isWanted: asked within the write, so that a removal comes before or after all of it.
    /// - Throws: when the database cannot be written to.
    package func save(_ pin: DevicePin, if isWanted: () -> Bool = { true }) throws {
        try self.database.write { db in
            guard isWanted() else { return }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO pin_device
                        (id, name, port, friendly_name, model, capabilities, host, pinned_at, seen_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    pin.id.text, pin.name, pin.port, pin.traits.friendlyName, pin.traits.model,
                    Int64(bitPattern: pin.traits.capabilities.rawValue), pin.host, pin.pinnedAt,
                    pin.seenAt,
                ])
        }
    }

    /// Strikes a device out.
    /// - Throws: when the database cannot be written to.
    package func remove(_ id: DeviceID) throws {
        try self.database.write { db in
            try db.execute(sql: "DELETE FROM pin_device WHERE id = ?", arguments: [id.text])
        }
    }
}
