import GRDB
import GatewayOperations
package import StateStore

/// Guests who have left while a device may still play what they began, in the state database: a restart forgets none of them.
///
/// A write is on disk when it returns; all of it blocks.
package struct DepartureStore: Sendable {
    package static let schema = StateSchema(
        part: "departures", tables: "the tables of guests who left are",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE departures_guest (
                    id TEXT PRIMARY KEY,
                    name TEXT NOT NULL,
                    code TEXT NOT NULL,
                    address TEXT NOT NULL,
                    devices TEXT NOT NULL,
                    joined INTEGER NOT NULL,
                    expires INTEGER NOT NULL,
                    reason TEXT NOT NULL,
                    departed INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE departures_session (
                    guest TEXT NOT NULL REFERENCES departures_guest(id) ON DELETE CASCADE,
                    device TEXT NOT NULL,
                    session TEXT NOT NULL,
                    PRIMARY KEY (guest, device, session)
                ) STRICT;
                """)
        ])
    /// Guests who are kept at most; beyond that those who left first are forgotten. Each has the apps of a guest at most.
    static let capacity = 1024
    /// How long a guest who left is kept, in seconds: what a device plays a day later is not the guest's.
    static let longestWait: Int64 = 86_400

    private let database: any DatabaseWriter

    /// Takes the state database and brings its tables up to date.
    /// - Throws: when a table cannot be made, or is a newer Castway's.
    init(_ database: any DatabaseWriter) throws {
        self.database = database
        try Self.schema.migrate(database)
    }

    /// Keeps a guest who leaves, with the apps that are kept of the guest; in the transaction that forgets the guest. Nothing for a guest
    /// without an address, or without an app.
    static func keep(_ guest: String, reason: String, at time: UTCTime, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO departures_guest
                    (id, name, code, address, devices, joined, expires, reason, departed)
                SELECT id, name, code, address, devices, joined, expires, ?, ? FROM guests_guest
                WHERE id = ? AND address IS NOT NULL AND id IN (SELECT guest FROM guests_session)
                """, arguments: [reason, time.seconds, guest])
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO departures_session (guest, device, session)
                SELECT guest, device, session FROM guests_session
                WHERE guest = ? AND guest IN (SELECT id FROM departures_guest)
                """, arguments: [guest])
        try Self.trim(db)
    }

    /// Keeps what is still to be ended of a guest who left, in place of what was kept of the guest.
    func replace(_ departure: GuestDeparture, at time: UTCTime) throws {
        let guest = departure.guest
        guard let address = guest.address, !departure.sessions.isEmpty else { return try self.forget(guest.id) }
        try self.database.write { db in
            // When the guest left stays as it is, so that tries after each restart are not without end.
            let departed = try Int64.fetchOne(
                db, sql: "SELECT departed FROM departures_guest WHERE id = ?", arguments: [guest.id])
            try Self.delete(guest.id, in: db)
            try db.execute(
                sql: """
                    INSERT INTO departures_guest (id, name, code, address, devices, joined, expires, reason, departed)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    guest.id, guest.name, guest.code, address, JoinStore.text(guest.devices), guest.joined.seconds,
                    guest.expires.seconds, departure.reason, departed ?? time.seconds,
                ])
            for session in departure.sessions {
                try db.execute(
                    sql: "INSERT INTO departures_session (guest, device, session) VALUES (?, ?, ?)",
                    arguments: [guest.id, session.device, session.session])
            }
            try Self.trim(db)
        }
    }

    /// Forgets a guest: all that the guest did has ended, or is not tried any more.
    func forget(_ guest: String) throws {
        try self.database.write { try Self.delete(guest, in: $0) }
    }

    /// Those of before who have something left to be ended, the first who left first; forgets those who left too long ago.
    func unfinished(at now: UTCTime) throws -> [GuestDeparture] {
        try self.database.write { db in
            let old = try String.fetchAll(
                db, sql: "SELECT id FROM departures_guest WHERE departed <= ?",
                arguments: [now.seconds - Self.longestWait])
            for guest in old { try Self.delete(guest, in: db) }
            var sessions: [String: Set<GuestSession>] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM departures_session") {
                sessions[row["guest"] as String, default: []].insert(
                    GuestSession(device: row["device"], session: row["session"]))
            }
            return try Row.fetchAll(db, sql: "SELECT * FROM departures_guest ORDER BY departed, rowid").map { row in
                let guest = Guest(
                    id: row["id"], name: row["name"], code: row["code"], address: row["address"],
                    devices: JoinStore.devices(row["devices"]), token: nil,
                    joined: UTCTime(seconds: row["joined"]), expires: UTCTime(seconds: row["expires"]))
                return GuestDeparture(
                    guest: guest, sessions: sessions[guest.id] ?? [], reason: row["reason"], isResumed: true)
            }
        }
    }

    private static func delete(_ guest: String, in db: Database) throws {
        try db.execute(sql: "DELETE FROM departures_session WHERE guest = ?", arguments: [guest])
        try db.execute(sql: "DELETE FROM departures_guest WHERE id = ?", arguments: [guest])
    }

    private static func trim(_ db: Database) throws {
        let beyond = try String.fetchAll(
            db, sql: "SELECT id FROM departures_guest ORDER BY departed DESC, rowid DESC LIMIT -1 OFFSET ?",
            arguments: [Self.capacity])
        for guest in beyond { try Self.delete(guest, in: db) }
    }
}
