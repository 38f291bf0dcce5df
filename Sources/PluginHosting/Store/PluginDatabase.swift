public import CastWire
public import GRDB
public import NIOPosix
package import StateStore

/// What plugins keep, in the state database: values by key, each plugin for itself. A write is on disk when it returns.
///
/// A task that is cancelled writes all the same: a plugin may end right after it has said what to keep.
public struct PluginDatabase: Sendable {
    /// Why a value was not kept.
    public enum Failure: Error, Hashable, Sendable {
        /// The plugin may keep no more than so many bytes, keys and values together.
        case full(quota: Int)
        /// The key is empty or longer than ``PluginDatabase/maximumKeyLength``.
        case badKey
        /// The database cannot be read or written.
        case unavailable(String)
    }

    /// How many bytes a key may have.
    public static let maximumKeyLength = 512
    /// How many keys are listed.
    public static let maximumListLength = 1000

    /// The tables.
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
    public init(database: any DatabaseWriter, pool: NIOThreadPool = .singleton) throws {
        self.database = database
        self.pool = pool
        try Self.schema.migrate(database)
    }

    /// The value under a key; nil when there is none.
    public func value(of key: String, for plugin: String) async throws(Failure) -> JSONValue? {
        try await self.perform { database in
            let text = try database.read { db in
                try String.fetchOne(
                    db, sql: "SELECT value FROM plugin_value WHERE plugin = ? AND key = ?", arguments: [plugin, key])
            }
            return try text.map { try JSONReader.read($0) }
        }
    }

    /// How many bytes of the quota a value takes up.
    package static func length(of key: String, _ text: String) -> Int { key.utf8.count + text.utf8.count }

    /// Keeps a value in the place of the one that was there.
    /// - Parameter quota: how many bytes the plugin may keep in all.
    public func put(_ value: JSONValue, under key: String, for plugin: String, quota: Int) async throws(Failure) {
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
    public func delete(_ key: String, for plugin: String) async throws(Failure) {
        try await self.perform { database in
            try database.write { db in
                try db.execute(
                    sql: "DELETE FROM plugin_value WHERE plugin = ? AND key = ?", arguments: [plugin, key])
            }
        }
    }

    /// The keys that begin with a text, in order; no more than ``maximumListLength``.
    public func keys(from prefix: String, for plugin: String) async throws(Failure) -> [String] {
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
