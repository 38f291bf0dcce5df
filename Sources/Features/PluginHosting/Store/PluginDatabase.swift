package import CastWire
package import GRDB
package import NIOPosix
package import StateStore

/// The store of plugins in the state database: values by key, each plugin for itself. A write is on disk when it
/// returns.
///
/// A task that is cancelled writes all the same: a plugin may end right after it has said what to keep.
package struct PluginDatabase: Sendable {
    /// The reason a value was not kept.
    package enum Failure: Error, Hashable, Sendable {
        /// The plugin may keep no more than so many bytes, keys and values together.
        case full(quota: Int)
        /// The key is empty or longer than ``PluginDatabase/maximumKeyLength``.
        case badKey
        case unavailable(String)
    }

    /// The number of bytes a key may have.
    package static let maximumKeyLength = 512
    /// The number of keys that are listed.
    package static let maximumListLength = 1000

    package static let schema = StateSchema(
        part: "plugin", tables: "the table of plugins is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE plugin_value (
                    plugin TEXT NOT NULL,
                    key TEXT NOT NULL,
                    value TEXT NOT NULL,
                    PRIMARY KEY (plugin, key)
                ) STRICT, WITHOUT ROWID;
                """)
        ])

    private let database: any DatabaseWriter
    private let pool: NIOThreadPool

    /// Takes the state database and brings its table up to date; blocks.
    /// - Parameter pool: where reading and writing happens.
    /// - Throws: when the table cannot be made, or is a newer Castway's.
    package init(database: any DatabaseWriter, pool: NIOThreadPool = .singleton) throws {
        self.database = database
        self.pool = pool
        try Self.schema.migrate(database)
    }

    /// The value under a key; nil when there is none.
    package func value(of key: String, for plugin: String) async throws(Failure) -> JSONValue? {
        try await self.perform { database in
            let text = try database.read { db in
                try String.fetchOne(
                    db, sql: "SELECT value FROM plugin_value WHERE plugin = ? AND key = ?", arguments: [plugin, key])
            }
            return try text.map { try JSONReader.read($0) }
        }
    }

    /// The number of bytes of the quota a value takes up.
    package static func length(of key: String, _ text: String) -> Int { key.utf8.count + text.utf8.count }

    /// Keeps a value in the place of the one that was there.
    /// - Parameter quota: how many bytes the plugin may keep in all.
    package func put(_ value: JSONValue, under key: String, for plugin: String, quota: Int) async throws(Failure) {
        guard (1...Self.maximumKeyLength).contains(key.utf8.count) else { throw .badKey }
        let text = value.text
        try await self.perform { database in
            try database.write { db in
                let others =
                    try Int.fetchOne(
                        db,
                        sql: """
                            SELECT coalesce(sum(length(CAST(key AS BLOB)) + length(CAST(value AS BLOB))), 0) FROM plugin_value
                            WHERE plugin = ? AND key <> ?
                            """, arguments: [plugin, key]) ?? 0
                guard others + Self.length(of: key, text) <= quota else { throw Failure.full(quota: quota) }
                try db.execute(
                    sql: """
                        INSERT INTO plugin_value (plugin, key, value) VALUES (?, ?, ?)
                        ON CONFLICT (plugin, key) DO UPDATE SET value = excluded.value
                        """, arguments: [plugin, key, text])
            }
        }
    }

    /// Forgets a value; nothing happens when there is none.
    package func delete(_ key: String, for plugin: String) async throws(Failure) {
        try await self.perform { database in
            try database.write { db in
                try db.execute(
                    sql: "DELETE FROM plugin_value WHERE plugin = ? AND key = ?", arguments: [plugin, key])
            }
        }
    }

    /// The keys that begin with a text, in order; no more than ``maximumListLength``.
    package func keys(from prefix: String, for plugin: String) async throws(Failure) -> [String] {
        try await self.perform { database in
            try database.read { db in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT key FROM plugin_value WHERE plugin = ? AND substr(key, 1, length(?)) = ?
                        ORDER BY key LIMIT ?
                        """, arguments: [plugin, prefix, prefix, Self.maximumListLength])
            }
        }
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseWriter) throws -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            self.pool.submit { state in
                continuation.resume(
                    returning: Result {
                        guard case .active = state else { throw Failure.unavailable("the gateway is stopping") }
                        return try body(self.database)
                    })
            }
        }
        do {
            return try result.get()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .unavailable(DatabaseErrorText.words(error))
        }
    }
}
