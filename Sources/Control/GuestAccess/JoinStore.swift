import CastIdentity
import FoundationEssentials
import GRDB
import GatewayOperations
package import StateStore

/// Join codes and guests in the state database: hashes of codes, never the codes. A write is on disk when it returns; all of it blocks.
package struct JoinStore: Sendable {
    package static let schema = StateSchema(
        part: "guests", tables: "the tables of guests are",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE guests_salt (salt BLOB NOT NULL) STRICT;
                CREATE TABLE guests_code (
                    id TEXT PRIMARY KEY,
                    name TEXT NOT NULL,
                    digits BLOB NOT NULL,
                    link BLOB NOT NULL,
                    devices TEXT NOT NULL,
                    connects INTEGER NOT NULL,
                    scopes TEXT NOT NULL,
                    stay INTEGER NOT NULL,
                    uses INTEGER NOT NULL,
                    used INTEGER NOT NULL,
                    attempts INTEGER NOT NULL,
                    maker TEXT NOT NULL,
                    maker_token TEXT,
                    maker_generation TEXT NOT NULL,
                    created INTEGER NOT NULL,
                    expires INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE guests_guest (
                    id TEXT PRIMARY KEY,
                    name TEXT NOT NULL,
                    code TEXT NOT NULL,
                    address TEXT,
                    devices TEXT NOT NULL,
                    token TEXT,
                    joined INTEGER NOT NULL,
                    expires INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE guests_session (
                    guest TEXT NOT NULL REFERENCES guests_guest(id) ON DELETE CASCADE,
                    device TEXT NOT NULL,
                    session TEXT NOT NULL,
                    PRIMARY KEY (guest, device, session)
                ) STRICT;
                """),
            StateSchema.sql("ALTER TABLE guests_code ADD COLUMN starts INTEGER NOT NULL DEFAULT 0"),
        ])
    /// Apps that are kept of a guest at most.
    static let maximumSessions = 64
    /// What stands between the patterns of devices: no name has it.
    private static let separator = "\n"

    private let database: any DatabaseWriter
    /// The guests who have left while a device may still play what they began.
    let departures: DepartureStore
    /// The salt of the hashes of digits.
    let salt: [UInt8]

    /// Takes the state database and brings its tables up to date.
    /// - Throws: when a table cannot be made, or is a newer Castway's.
    init(_ database: any DatabaseWriter) throws {
        self.database = database
        try Self.schema.migrate(database)
        self.departures = try DepartureStore(database)
        self.salt = try database.write { db -> [UInt8] in
            if let salt = try Data.fetchOne(db, sql: "SELECT salt FROM guests_salt") { return [UInt8](salt) }
            let salt = try StretchedHash.makeSalt()
            try db.execute(sql: "INSERT INTO guests_salt (salt) VALUES (?)", arguments: [Data(salt)])
            return salt
        }
    }

    // MARK: Codes

    /// All codes.
    func codes() throws -> [JoinCode] {
        try self.database.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM guests_code").map { row in
                JoinCode(
                    id: row["id"], name: row["name"], digits: [UInt8](row["digits"] as Data),
                    link: [UInt8](row["link"] as Data),
                    grant: JoinGrant(
                        devices: Self.devices(row["devices"]), connects: row["connects"],
                        scopes: Set(
                            (row["scopes"] as String).split(separator: " ").compactMap {
                                OperationScope(rawValue: String($0))
                            }), stay: row["stay"]),
                    uses: row["uses"], used: row["used"], attempts: row["attempts"],
                    maker: JoinCode.Maker(
                        name: row["maker"], token: row["maker_token"],
                        generation: UInt64(row["maker_generation"] as String) ?? 0),
                    created: UTCTime(seconds: row["created"]), starts: UTCTime(seconds: row["starts"]),
                    expires: UTCTime(seconds: row["expires"]))
            }
        }
    }

    /// Keeps a new code.
    func insert(_ code: JoinCode) throws {
        try self.database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO guests_code (id, name, digits, link, devices, connects, scopes, stay, uses, used, attempts,
                        maker, maker_token, maker_generation, created, starts, expires)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    code.id, code.name, Data(code.digits), Data(code.link), Self.text(code.grant.devices),
                    code.grant.connects, code.grant.scopes.map(\.rawValue).sorted().joined(separator: " "),
                    code.grant.stay, code.uses, code.used, code.attempts, code.maker.name, code.maker.token,
                    String(code.maker.generation), code.created.seconds, code.starts.seconds, code.expires.seconds,
                ])
        }
    }

    /// Forgets codes.
    func delete(codes ids: [String]) throws {
        guard !ids.isEmpty else { return }
        try self.database.write { db in
            for id in ids { try db.execute(sql: "DELETE FROM guests_code WHERE id = ?", arguments: [id]) }
        }
    }

    /// Keeps how many wrong digits were tried while codes were there.
    func setAttempts(_ codes: [JoinCode]) throws {
        guard !codes.isEmpty else { return }
        try self.database.write { db in
            for code in codes {
                try db.execute(
                    sql: "UPDATE guests_code SET attempts = ? WHERE id = ?", arguments: [code.attempts, code.id])
            }
        }
    }

    // MARK: Guests

    /// All guests, each with the apps that the guest has joined.
    func guests() throws -> [(guest: Guest, sessions: Set<GuestSession>)] {
        try self.database.read { db in
            var sessions: [String: Set<GuestSession>] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM guests_session") {
                sessions[row["guest"] as String, default: []].insert(
                    GuestSession(device: row["device"], session: row["session"]))
            }
            return try Row.fetchAll(db, sql: "SELECT * FROM guests_guest").map { row in
                let guest = Guest(
                    id: row["id"], name: row["name"], code: row["code"], address: row["address"],
                    devices: Self.devices(row["devices"]), token: row["token"],
                    joined: UTCTime(seconds: row["joined"]), expires: UTCTime(seconds: row["expires"]))
                return (guest, sessions[guest.id] ?? [])
            }
        }
    }

    /// Keeps a new guest, and that the code has been redeemed once more: both or neither.
    func insert(_ guest: Guest, of code: JoinCode) throws {
        try self.database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO guests_guest (id, name, code, address, devices, token, joined, expires)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    guest.id, guest.name, guest.code, guest.address, Self.text(guest.devices), guest.token,
                    guest.joined.seconds, guest.expires.seconds,
                ])
            try db.execute(sql: "UPDATE guests_code SET used = ? WHERE id = ?", arguments: [code.used, code.id])
        }
    }

    /// Forgets guests.
    /// - Parameter departed: why and when they left, by which what they have joined is kept until it has ended, in ``departures``; nil
    ///   when they leave nothing to be ended.
    func delete(guests ids: [String], departed: (reason: String, time: UTCTime)? = nil) throws {
        guard !ids.isEmpty else { return }
        try self.database.write { db in
            for id in ids {
                if let departed {
                    try DepartureStore.keep(id, reason: departed.reason, at: departed.time, in: db)
                }
                try db.execute(sql: "DELETE FROM guests_session WHERE guest = ?", arguments: [id])
                try db.execute(sql: "DELETE FROM guests_guest WHERE id = ?", arguments: [id])
            }
        }
    }

    /// Keeps that a guest has joined an app, the newest of them; nothing for a guest that is not there any more.
    func add(_ session: GuestSession, of guest: String) throws {
        try self.database.write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO guests_session (guest, device, session)
                    SELECT id, ?, ? FROM guests_guest WHERE id = ?
                    """, arguments: [session.device, session.session, guest])
            try db.execute(
                sql: """
                    DELETE FROM guests_session WHERE guest = ? AND rowid NOT IN
                        (SELECT rowid FROM guests_session WHERE guest = ? ORDER BY rowid DESC LIMIT ?)
                    """, arguments: [guest, guest, Self.maximumSessions])
        }
    }

    /// Patterns of devices as they are kept.
    static func text(_ devices: [DevicePattern]) -> String {
        devices.map(\.text).joined(separator: Self.separator)
    }

    /// Reads what ``text(_:)`` gives.
    static func devices(_ text: String) -> [DevicePattern] {
        text.split(separator: Self.separator).map { DevicePattern(String($0)) }
    }
}
