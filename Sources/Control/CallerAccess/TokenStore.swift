import FoundationEssentials
import GRDB
import GatewayOperations
package import StateStore

/// The tokens that callers have made, in the state database: their hashes, never the tokens. A write is on disk when it returns.
package struct TokenStore: Sendable {
    package static let schema = StateSchema(
        part: "access", tables: "the table of tokens is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE access_token (
                    id TEXT PRIMARY KEY,
                    name TEXT NOT NULL,
                    digest BLOB NOT NULL UNIQUE,
                    scopes TEXT NOT NULL,
                    devices TEXT,
                    created INTEGER NOT NULL,
                    expires INTEGER,
                    used INTEGER
                ) STRICT;
                """)
        ])
    /// What stands between the patterns of devices: no name has it.
    private static let separator = "\n"

    private let database: any DatabaseWriter

    /// Takes the state database and brings its table up to date; blocks.
    /// - Throws: when the table cannot be made, or is a newer Castway's.
    init(_ database: any DatabaseWriter) throws {
        self.database = database
        try Self.schema.migrate(database)
    }

    /// All tokens, each with when it was used last; blocks.
    func load() throws -> [(token: AccessToken, used: UTCTime?)] {
        try self.database.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM access_token").map { row in
                let devices: String? = row["devices"]
                let token = AccessToken(
                    id: row["id"], name: row["name"], digest: [UInt8](row["digest"] as Data),
                    scopes: Set(
                        (row["scopes"] as String).split(separator: " ").compactMap {
                            OperationScope(rawValue: String($0))
                        }),
                    devices: devices?.split(separator: Self.separator).map { DevicePattern(String($0)) },
                    created: UTCTime(seconds: row["created"]),
                    expires: (row["expires"] as Int64?).map { UTCTime(seconds: $0) })
                return (token, (row["used"] as Int64?).map { UTCTime(seconds: $0) })
            }
        }
    }

    /// Keeps a new token; blocks.
    func insert(_ token: AccessToken) throws {
        try self.database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO access_token (id, name, digest, scopes, devices, created, expires)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    token.id, token.name, Data(token.digest),
                    token.scopes.map(\.rawValue).sorted().joined(separator: " "),
                    token.devices?.map(\.text).joined(separator: Self.separator), token.created?.seconds ?? 0,
                    token.expires?.seconds,
                ])
        }
    }

    /// Forgets a token; blocks.
    func delete(_ id: String) throws {
        try self.database.write { try $0.execute(sql: "DELETE FROM access_token WHERE id = ?", arguments: [id]) }
    }

    /// Keeps when a token was used; blocks.
    func touch(_ id: String, at time: UTCTime) throws {
        try self.database.write { db in
            try db.execute(sql: "UPDATE access_token SET used = ? WHERE id = ?", arguments: [time.seconds, id])
        }
    }
}
